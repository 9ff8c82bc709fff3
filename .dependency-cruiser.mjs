// Who may import whom (ARCHITECTURE.md draws it), and that nothing goes round in a circle.
const only = (name, from, allowed, comment) => ({
  name,
  comment,
  severity: 'error',
  from: { path: from },
  to: { path: '^(src|webview|test|scripts)/', pathNot: [from, ...allowed] },
});

const ports = '^src/ports(\\.ts|/)';
const shared = '^src/shared/';

export default {
  forbidden: [
    {
      name: 'no-circle',
      severity: 'error',
      comment:
        'Two files that need each other are one file or lack a third (Markdown alone nests by nature).',
      from: { pathNot: '^webview/transcript/markdown/' },
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    only('shared-stands-alone', shared, [], 'shared imports nothing of ours.'),
    only('ports-know-plain-data', ports, [shared], 'ports.ts is types over shared data.'),
    only('webview-knows-shared', '^webview/', [shared], 'The webview imports only shared.'),
    only('log-knows-shared', '^src/log/', [shared, ports], 'The log knows neither the agent nor the host.'),
    only(
      'agent-knows-log',
      '^src/agent/',
      [shared, ports, '^src/log/'],
      'The agent reaches models and tools through ports.ts only.',
    ),
    only(
      'models-know-ports',
      '^src/models/',
      [shared, ports],
      'A model adapter knows its port and plain data.',
    ),
    only('tools-know-ports', '^src/tools/', [shared, ports], 'A tool knows its port and plain data.'),
    only('source-knows-source', '^src/', ['^src/'], 'src imports nothing from webview, test or scripts.'),
    {
      name: 'only-extension-enters-from-above',
      severity: 'error',
      comment: 'Nothing imports extension.ts.',
      from: {},
      to: { path: '^src/extension\\.ts$' },
    },
    {
      name: 'shared-needs-zod-only',
      severity: 'error',
      from: { path: shared },
      to: { dependencyTypes: ['npm', 'npm-dev', 'core'], pathNot: ['node_modules/zod/', '^zod'] },
    },
    {
      name: 'only-host-imports-vscode',
      severity: 'error',
      from: { path: '^(src|webview)/', pathNot: ['^src/host/', '^src/extension\\.ts$'] },
      to: { path: '^vscode$|@types/vscode' },
    },
    {
      name: 'only-log-and-host-touch-files',
      severity: 'error',
      from: { path: '^(src|webview)/', pathNot: ['^src/(log|host)/'] },
      to: { path: '^(node:)?(fs|fs/promises|child_process|worker_threads|net|sqlite)$' },
    },
    {
      name: 'resolvable',
      severity: 'error',
      comment: 'An import that leads nowhere.',
      from: {},
      to: { couldNotResolve: true, pathNot: ['^vscode$', '^svelte/', '^node:sqlite$'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^media/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.svelte', '.js', '.mjs', '.d.ts'],
      conditionNames: ['svelte', 'import', 'node', 'default', 'types'],
      mainFields: ['svelte', 'module', 'main', 'types'],
    },
  },
};
