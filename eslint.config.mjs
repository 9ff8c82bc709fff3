// What the compiler does not see: promises nobody waits for, any, forgotten cases, and who may import what.
import globals from 'globals';
import svelte from 'eslint-plugin-svelte';
import tseslint from 'typescript-eslint';

const source = [
  'src/**/*.ts',
  'webview/**/*.ts',
  'webview/**/*.svelte',
  'test/**/*.ts',
  'test/**/*.svelte',
  'vitest.config.ts',
];

/** Node's files and processes belong to the log, the host and the tests. */
const nodeWorld = {
  regex: '^(node:)?(fs|fs/promises|child_process|cluster|worker_threads|net|dgram|sqlite)$',
  message: 'Only log and host touch files and processes; take what you need through ports.ts.',
};
const vscode = { regex: '^vscode$', message: 'Only host and extension.ts import vscode.' };

const restrict = (...patterns) => ({ 'no-restricted-imports': ['error', { patterns }] });

export default tseslint.config(
  { ignores: ['node_modules', 'dist', 'out', 'coverage', 'media/sample', 'test/editor/fixtures'] },
  { linterOptions: { reportUnusedDisableDirectives: 'error' } },
  {
    files: source,
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: {
      parserOptions: {
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-properties': [
        'error',
        { property: 'waitForTimeout', message: 'Wait for what should happen, not for time.' },
      ],
      'no-restricted-syntax': [
        'error',
        {
          selector:
            "CallExpression[callee.property.name='catch'] > ArrowFunctionExpression[body.type='BlockStatement'][body.body.length=0]",
          message: 'A failure has to go somewhere.',
        },
      ],
    },
  },
  ...svelte.configs.recommended,
  {
    files: ['**/*.svelte', '**/*.svelte.ts'],
    languageOptions: {
      parserOptions: {
        parser: tseslint.parser,
        projectService: true,
        tsconfigRootDir: import.meta.dirname,
        extraFileExtensions: ['.svelte'],
      },
    },
    rules: {
      'svelte/no-at-html-tags': 'error',
      'prefer-const': 'off',
      'svelte/prefer-const': 'error',
      'svelte/no-useless-mustaches': 'off',
      'svelte/prefer-svelte-reactivity': 'off',
    },
  },
  // Vitest's matchers are any.
  { files: ['test/**'], rules: { '@typescript-eslint/no-unsafe-assignment': 'off' } },
  { files: ['webview/**'], languageOptions: { globals: globals.browser } },
  { files: ['src/{shared,agent,models,tools}/**'], rules: restrict(vscode, nodeWorld) },
  { files: ['src/{log,ports}/**', 'src/ports.ts', 'webview/**'], rules: restrict(vscode) },
  {
    files: ['**/*.mjs'],
    languageOptions: { globals: globals.node },
    rules: {
      'no-undef': 'error',
      'no-unused-vars': 'error',
      'no-empty': ['error', { allowEmptyCatch: false }],
      eqeqeq: 'error',
    },
  },
);
