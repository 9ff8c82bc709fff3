// Every state of the view, one scene each: for looking at it and for axe.
import type { Surface } from '../../../src/host/chat/html.js';
import type { OpeningView, Snapshot, ToWebview } from '../../../src/shared/protocol.js';
import { demoModel, idle, realModel, Scene } from '../bench/scenes.js';
import { compared, filesOffered } from './compared.js';
import { cutCalls, fileNoticeState, stopping, tooLong } from './ends.js';
import { goalStates } from './goal.js';
import { movedStates } from './moved.js';
import { openingStates } from './opening.js';
import { changedFiles, editedInDiff, editsAtOnce } from './review.js';
import { asking, coloured, toolLines } from './tools.js';
import { branchedStates } from './narrow.js';

export interface State {
  name: string;
  scene: Scene;
  snapshot?: Partial<Snapshot>;
  surface?: Surface;
  width?: number;
  height?: number;
  /** Test id of what is pressed first. */
  press?: string;
  /** Words on a button that is pressed first. */
  pressWord?: string;
  /** What is looked for in the conversation. */
  find?: string;
  /** What is written in the composer: it calls a menu. */
  calls?: string;
  /** Test id of what the pointer is over. */
  hover?: string;
  /** What the host sends after the press. */
  then?: Snapshot | Extract<ToWebview, { type: 'not_shown' }>;
  /** How far the wheel is turned over the conversation. */
  wheel?: number;
  /** Test id of what all that leads to. */
  leads?: string;
  /** What is waited for in place of the conversation. */
  opening?: OpeningView;
  /** Ends of two lines that are shown beside each other. */
  compare?: { left_id: string; right_id: string };
}

const markdown = `The greeting is made in \`src/greet.ts\` and used in two places:

1. \`src/main.ts\` prints it at the start.
2. \`test/greet.test.ts\` compares it **word by word**.

\`\`\`ts
/** Says hello. */
export function greet(name: string, excited = false): string {
  const end = excited ? '!' : '.';
  return \`Hello, \${name}\${end}\`; // 42 characters at most
}
\`\`\`

| file | lines | note |
|---|---:|---|
| src/greet.ts | 12 | the function |
| src/main.ts | 40 | the only caller |

- [x] find the function
- [ ] make it friendlier

See [the style guide](https://example.com/style) and [greet.ts](src/greet.ts#L3).

> A greeting that is too long is no greeting.`;

function conversation(): Scene {
  const scene = new Scene();
  scene.turn('Where is the greeting made, and who uses it?', 'turn-0');
  scene.calls('I will look for it.', [
    { call_id: 'c1', name: 'list', input: {} },
    { call_id: 'c2', name: 'search', input: { pattern: 'greet', path: 'src' } },
    { call_id: 'c3', name: 'read', input: { path: 'src/greet.ts', start_line: 1, end_line: 40 } },
  ]);
  scene.result('c1', 'list', 'src/\ntest/\nREADME.md');
  scene.result('c2', 'search', 'src/greet.ts:2: export function greet');
  scene.result('c3', 'read', 'export function greet() {}');
  scene.answer(markdown);
  scene.add({
    type: 'usage',
    input_tokens: 11_200,
    output_tokens: 830,
    total_tokens: 12_030,
    purpose: 'step',
  });
  scene.endTurn('turn-0');
  return scene;
}

const before = `/** Says hello. */
export function greet(name: string): string {
  return 'Hello ' + name;
}

export const names = ['Ada', 'Grace'];
`;
const after = before.replace(
  "return 'Hello ' + name;",
  'const who = name.trim();\n  return `Hello, ${who}!`;',
);

function withApproval(): Scene {
  const scene = conversation();
  scene.turn('Make it friendlier, then run the tests.', 'turn-1');
  const edit = {
    path: 'src/greet.ts',
    edits: [{ old_text: "return 'Hello ' + name;", new_text: 'return `Hello, ${name}!`;' }],
  };
  scene.calls(
    'I will change the function and run the tests.',
    [
      { call_id: 'e1', name: 'edit', input: edit },
      { call_id: 'r1', name: 'run', input: { command: 'npm test -- --reporter=dot' } },
    ],
    'turn-1',
  );
  scene.add({
    type: 'approval_request',
    call_id: 'e1',
    tool: 'edit',
    summary: 'Edit src/greet.ts',
    input_hash: 'x',
    risk: 'write',
    turn_id: 'turn-1',
    targets: [{ path: 'src/greet.ts', hash: 'a' }],
    proposal: [{ path: 'src/greet.ts', before: scene.blob(before), after: scene.blob(after) }],
  });
  scene.add({
    type: 'approval_request',
    call_id: 'r1',
    tool: 'run',
    summary: 'Run npm test -- --reporter=dot',
    input_hash: 'y',
    risk: 'run',
    turn_id: 'turn-1',
    targets: [],
    allows: 'all commands that begin with npm test',
  });
  scene.status = { ...idle, run: 'waiting' };
  return scene;
}

function decided(): Scene {
  const scene = new Scene();
  scene.turn('Make it friendlier, then run the tests.', 'turn-1');
  const edit = {
    path: 'src/greet.ts',
    edits: [
      { old_text: "return 'Hello ' + name;", new_text: 'const who = name.trim();\nreturn `Hello, ${who}!`;' },
    ],
  };
  scene.calls(
    '',
    [
      { call_id: 'e1', name: 'edit', input: edit },
      { call_id: 'w1', name: 'write', input: { path: 'notes/plan.md', content: '# Plan\n\n- one\n- two\n' } },
      { call_id: 'r1', name: 'run', input: { command: 'rm -rf build && npm test' } },
      { call_id: 'r2', name: 'run', input: { command: 'npm test' } },
      { call_id: 'r3', name: 'read', input: { path: '../secrets.txt' } },
    ],
    'turn-1',
  );
  for (const [call_id, tool] of [
    ['e1', 'edit'],
    ['w1', 'write'],
    ['r1', 'run'],
    ['r2', 'run'],
  ] as const) {
    const id = scene.add({
      type: 'approval_request',
      call_id,
      tool,
      summary: `Do ${tool}`,
      input_hash: 'x',
      targets: [],
      turn_id: 'turn-1',
    });
    const decision = call_id === 'r1' ? ('deny' as const) : ('allow' as const);
    scene.add({
      type: 'approval_decision',
      request_id: id,
      decision,
      ...(decision === 'deny' ? { feedback: 'keep the build folder' } : {}),
    });
  }
  scene.result('e1', 'edit', 'Edited src/greet.ts.');
  scene.result('w1', 'write', 'Wrote notes/plan.md.');
  scene.result('r1', 'run', 'The person denied this: keep the build folder', true);
  scene.result('r2', 'run', '1 failing\n  expected Hello\n\n[Exit code 1 after 4 s.]', true);
  scene.result('r3', 'read', '../secrets.txt is outside the workspace.', true);
  scene.answer('The greeting has an exclamation mark now, and one test needs the new text.');
  scene.endTurn('turn-1');
  return scene;
}

function streaming(): State {
  const scene = conversation();
  scene.turn('Explain it to a newcomer.', 'turn-1');
  scene.status = { ...idle, run: 'running' };
  const text =
    'The function takes a name and gives back a sentence.\n\n```ts\nexport function greet(name: string) {\n  return `Hello, ${name}';
  return {
    name: 'streaming',
    scene,
    snapshot: {
      growing: {
        attempt_id: 'attempt-1',
        turn_id: 'turn-1',
        step: 1,
        text,
        reasoning: 'A newcomer knows functions.',
        calls: [],
      },
    },
  };
}

function running(): State {
  const scene = new Scene();
  scene.turn('Run the tests.', 'turn-1');
  scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm test' } }], 'turn-1');
  scene.add({ type: 'tool_start', call_id: 'r1', turn_id: 'turn-1' });
  scene.add({
    type: 'queue_update',
    items: [
      { id: 'q1', mode: 'queue', text: 'Then write a changelog entry for it' },
      { id: 'q2', mode: 'steer', text: 'Only the unit tests, please' },
    ],
  });
  scene.status = { ...idle, run: 'running' };
  const started_at = Date.now() - 12_000;
  return {
    name: 'running',
    scene,
    snapshot: {
      progress: [{ call_id: 'r1', started_at, tail: 'greet\n  ✓ says hello\n  ✓ trims the name' }],
    },
  };
}

function waiting(kind: 'retry' | 'server' | 'resume' | 'parked'): State {
  const scene = new Scene();
  scene.turn('What is in this folder?', 'turn-1');
  const due_at = new Date(Date.now() + 21_000).toISOString();
  const common = { step: 1, delay_ms: 24_000, due_at, turn_id: 'turn-1' };
  if (kind === 'resume') {
    scene.add({
      type: 'resume_start',
      ...common,
      resume: 2,
      max_resumes: 5,
      error: 'The connection to localhost:11434 was lost in the middle of the answer.',
    });
  } else {
    scene.add({
      type: 'retry_start',
      ...common,
      attempt_id: 'a',
      attempt: 1,
      max_attempts: 4,
      kind: kind === 'parked' ? 'parked' : 'retry',
      error: kind === 'retry' ? 'The model is overloaded (503).' : 'Too many requests (429).',
      ...(kind === 'retry' ? { resume: 2, max_resumes: 5 } : { server_hint: true }),
    });
  }
  scene.status = {
    ...idle,
    run: kind === 'parked' ? 'parked' : 'retrying',
    mode: kind === 'resume' ? 'accept_edits' : 'ask',
  };
  const tries = [
    {
      attempt_id: 'y',
      text: 'There is a README and a folder with the sources, which hold the',
      reasoning: '',
    },
    { attempt_id: 'z', text: 'In this folder there are', reasoning: 'I look first.' },
  ];
  return {
    name: `retry-${kind}`,
    scene,
    height: 420,
    ...(kind === 'resume' ? { snapshot: { dropped: { tries } } } : {}),
  };
}

function waited(): State {
  const scene = new Scene();
  scene.turn('What is in this folder?', 'turn-1');
  const step = { step: 1, turn_id: 'turn-1' };
  const wait = { ...step, delay_ms: 12_000, due_at: '', max_attempts: 4, kind: 'retry' as const };
  const error = '"scripted" limits how many requests it takes (429): slow down.';
  scene.add({ type: 'step_start', ...step, attempt_id: 'a' });
  scene.add({ type: 'retry_start', ...wait, attempt_id: 'a', attempt: 1, error, server_hint: true });
  scene.add({ type: 'step_start', ...step, attempt_id: 'b' });
  scene.add({ type: 'retry_end', turn_id: 'turn-1', success: true, attempt: 1 });
  scene.add({
    type: 'message',
    role: 'assistant',
    parts: [{ type: 'text', text: 'Nothing but a README.' }],
    turn_id: 'turn-1',
  });
  scene.endTurn('turn-1');
  return { name: 'waited', scene, press: 'waited-toggle' };
}

function incomplete(): State {
  const scene = conversation();
  scene.turn('Write a poem about it.', 'turn-1');
  scene.add({
    type: 'incomplete_output',
    attempt_id: 'a',
    incomplete: true,
    reason: 'connection',
    turn_id: 'turn-1',
    text: 'A greeting went out\ninto the evening air,\n\nand nobody',
    error: 'The connection was lost.',
    earlier: [
      {
        attempt_id: 'z',
        text: 'A greeting went out, over the hills and along the river, and came back *late in the night*',
      },
    ],
  });
  scene.endTurn('turn-1', 'failed');
  scene.status = {
    ...idle,
    failure: {
      kind: 'network',
      message: 'The connection to api.example.com was lost 3 times. Check the network, then try again.',
      transient: true,
      action: 'select-model',
      detail: 'ECONNRESET',
    },
  };
  return { name: 'incomplete', scene, press: 'earlier-toggle' };
}

function failed(): State {
  const scene = new Scene();
  scene.turn('Hello', 'turn-1');
  scene.endTurn('turn-1', 'failed');
  scene.status = {
    ...idle,
    failure: {
      kind: 'auth',
      message: 'api.example.com refused the API key of “local” (401). Set another key.',
      transient: false,
      action: 'set-key',
      detail: '{"error":"invalid_api_key"}',
    },
  };
  return { name: 'failed', scene, height: 420 };
}

function interrupted(isCrash: boolean): State {
  const scene = conversation();
  scene.turn('Run the migration.', 'turn-1');
  if (isCrash) {
    scene.add({
      type: 'incomplete_output',
      attempt_id: 'a',
      incomplete: true,
      reason: 'crash',
      text: 'I will begin with the',
      turn_id: 'turn-1',
    });
  } else {
    scene.calls('', [{ call_id: 'r1', name: 'run', input: { command: 'npm run migrate' } }], 'turn-1');
    scene.add({ type: 'tool_start', call_id: 'r1', turn_id: 'turn-1' });
  }
  const message = isCrash
    ? 'The editor ended while the model was answering.'
    : 'The editor ended while “npm run migrate” was running; it may have partly run.';
  scene.status = { ...idle, interrupted: { turn_id: 'turn-1', message } };
  return { name: isCrash ? 'crash' : 'interrupted', scene };
}

function stopped(): State {
  const scene = new Scene();
  scene.turn('Count to a million.', 'turn-1');
  scene.endTurn('turn-1', 'stopped');
  return { name: 'stopped', scene, height: 420 };
}

function fork(): State {
  const scene = new Scene();
  const first = scene.user('Rename the function to sayHello.');
  scene.answer('Renamed in two files.');
  scene.add({ type: 'head', entry_id: null });
  scene.add({
    type: 'message',
    role: 'user',
    parts: [{ type: 'text', text: 'Rename the function to welcome, and keep the old name as an alias.' }],
    parent_id: null,
  });
  scene.answer('Renamed, with an alias.');
  void first;
  return {
    name: 'fork',
    scene,
    snapshot: { draft: { text: 'Rename it to welcome', editing: scene.placed[3]?.entry.id ?? null } },
    height: 480,
  };
}

/** A conversation with lines in lines, labels, an answer that broke off, and a summary. */
function tree(name: string, more: Partial<State> = {}): State {
  const scene = new Scene();
  scene.user('Plan the move to the new API');
  const plan = scene.answer('There are three ways: all at once, by folder, or behind a flag.');
  scene.user('All at once');
  scene.calls('', [{ call_id: 'c1', name: 'search', input: { pattern: 'oldApi' } }]);
  scene.result('c1', 'search', '41 places', true);
  scene.answer('41 places would change at once.');
  scene.user('Too many. What breaks?');
  scene.add({
    type: 'incomplete_output',
    attempt_id: 'a',
    text: 'The tests in',
    incomplete: true,
    reason: 'connection',
  });
  scene.add({ type: 'head', entry_id: plan });
  const folders = scene.user('Folder by folder');
  scene.answer('Begin with src/models: nothing else imports it.');
  scene.user('Go on');
  scene.answer('Done with src/models.');
  scene.add({ type: 'label', target_id: folders, label: 'preferred' });
  scene.add({ type: 'head', entry_id: folders });
  scene.answer('Begin with src/shared.');
  scene.add({ type: 'head', entry_id: plan });
  scene.user('Behind a flag, and tell me what it costs to keep both for a year');
  scene.answer('A flag named api.next, read in one place.');
  return { name, scene, press: 'tree-toggle', height: 900, ...more };
}

function notices(name = 'notices', more: Partial<State> = {}): State {
  const scene = conversation();
  scene.status = {
    ...idle,
    notices: [
      {
        kind: 'damaged',
        message: '2 lines of this session could not be read and were skipped.',
        detail:
          'Line 12: the entry has no id.\nLine 13: Unexpected end of JSON input.\nBoth stand in session-1.damaged as they were.',
        actions: [{ label: 'Show Log', command: { type: 'show_log' } }],
      },
      {
        kind: 'not-saved',
        message: 'Your last message was not saved: the disk is full (ENOSPC, /home).',
        actions: [{ label: 'Save Again', command: { type: 'save_again' } }],
      },
      { kind: 'read-only', message: 'This session is in use in another window.', actions: [] },
    ],
  };
  return {
    name,
    scene,
    snapshot: { session: { id: 'session-1', title: scene.title, folder: undefined, read_only: true } },
    ...more,
  };
}

/** A second window on a session, in the width of a side bar. */
function followed(name: string, more: Partial<State> = {}): State {
  const scene = withApproval();
  scene.status = {
    ...(scene.status ?? idle),
    isHeld: true,
    notices: [
      {
        kind: 'read-only',
        message: 'Another window works (process 41235).',
        detail:
          'It is “shop” on workstation, since 10:32:11. What is said there appears here once it is complete. You can go on here as soon as it is done, stopped or that window is closed; until then, a fork goes on by itself.',
        isBrief: true,
        actions: [{ label: 'Fork…', command: { type: 'fork_session' } }],
      },
      {
        kind: 'stale',
        message:
          "The session's file /home/somebody/.config/Code/User/globalStorage/bough.bough/workspaces/shop-1a2b3c4d5e6f/sessions/s-0123456789abcdef.jsonl is not there any more; it was deleted or moved.",
        actions: [{ label: 'Export…', command: { type: 'export_session' } }],
      },
    ],
  };
  return { name, scene, width: 300, height: 900, ...more };
}

/** The least that a side bar of two views gives the chat, with all that can stand above and below the conversation. */
function lowPanel(): State {
  const state = notices('low', { width: 175, height: 535 });
  const changes = { count: 1, names: ['README.md'] };
  if (state.scene.status !== null)
    state.scene.status = { ...state.scene.status, place: 'untrusted', changes };
  return { ...state, snapshot: {} };
}

function empty(name: string, change: Partial<typeof idle>, surface: Surface = 'view'): State {
  const scene = new Scene();
  scene.title = '';
  scene.status = { ...idle, ...change };
  return { name, scene, surface };
}

function hostile(): State {
  const scene = new Scene();
  scene.user('Show me <script>alert(1)</script> & **this**');
  scene.answer(
    [
      "<script>document.body.dataset.hacked = '1'</script>",
      `<img src="https://evil.test/a.png" onerror="document.body.dataset.hacked = '2'">`,
      '[run](command:workbench.action.quit) [js](javascript:alert(1)) ![picture](https://evil.test/b.png) [data](data:text/html,x)',
      '<style>*{display:none}</style>',
      '</script>',
      '<iframe src="https://evil.test"></iframe> a<br>b &amp; &lt;c&gt; &#x1F600;',
      'The end.',
    ].join('\n\n'),
  );
  return { name: 'hostile', scene };
}

function looking(): State {
  const scene = new Scene();
  const prompt = 'Why does the build fail? See @src/main.ts';
  scene.add({
    type: 'message',
    role: 'user',
    origin: 'person',
    parts: [
      { type: 'text', text: prompt },
      { type: 'text', text: '[The person named this file: src/main.ts]' },
      {
        type: 'text',
        text: `[The person named this file: Pasted text]\n${'error TS2304: Cannot find name\n'.repeat(40)}`,
      },
    ],
  });
  const look = (count: number, from: number) => {
    for (let n = from; n < from + count; n += 1) {
      scene.calls('', [
        {
          call_id: `l${n}`,
          name: n % 3 === 0 ? 'search' : 'read',
          input: { path: `src/file-${n}.ts`, pattern: 'x' },
        },
      ]);
      scene.result(`l${n}`, 'read', 'text');
    }
  };
  look(7, 0);
  scene.answer('The imports are wrong. I will look at two more files.');
  look(2, 10);
  return { name: 'looking', scene };
}

function withTodos(): Scene {
  const scene = new Scene();
  const first = scene.user('Make the greeting friendlier');
  scene.answer('One way is to name the guest.');
  scene.add({ type: 'head', entry_id: first });
  const named = scene.answer('Another way is to ask how the day was.');
  scene.add({ type: 'label', target_id: named, label: 'Ask about the day' });
  scene.user('Do that');
  scene.add({
    type: 'todo_update',
    items: [
      { id: '1', title: 'Find where the greeting is made', status: 'done' },
      { id: '2', title: 'Change it, and every test that compares it word by word', status: 'in_progress' },
      { id: '3', title: 'Run the tests', status: 'pending' },
    ],
  });
  scene.answer('I begin with the function.');
  return scene;
}

const suggestions = [
  'Explain what src/greet.ts does',
  'Find where names are validated',
  'Write a test for src/main.ts',
];

/** Each under a session id of its own, so that one view can show them one after the other. */
function withInstructions(): Scene {
  const scene = conversation();
  scene.status = {
    ...idle,
    sent: [
      { path: 'AGENTS.md', chars: 4_000, isCut: false },
      { path: 'packages/api/AGENTS.md', chars: 90_000, isCut: true },
    ],
  };
  return scene;
}

export const states = (): State[] =>
  all().map((state) => ({
    ...state,
    snapshot: {
      ...state.snapshot,
      session: {
        ...(state.snapshot?.session ?? { title: state.scene.title, folder: undefined, read_only: false }),
        id: state.name,
      },
    },
  }));

const all = (): State[] => [
  empty('empty-demo', { model: demoModel, suggestions }),
  empty('empty-tab', { model: realModel, suggestions }, 'tab'),
  empty('no-folder', { place: 'no-folder', model: demoModel }),
  empty('untrusted', { place: 'untrusted', model: null, suggestions }),
  empty('virtual', { place: 'virtual', model: realModel, suggestions }),
  { name: 'conversation', scene: conversation(), height: 1100 },
  { name: 'conversation-tab', scene: conversation(), surface: 'tab', height: 1100 },
  ...openingStates(),
  { name: 'narrowest', scene: withApproval(), width: 170, height: 1000 },
  { name: 'narrow', scene: withApproval(), width: 300, height: 1000 },
  ...branchedStates(),
  streaming(),
  running(),
  { name: 'approval', scene: withApproval(), height: 900 },
  { name: 'approval-edited', scene: withApproval(), height: 900, press: 'edit-input' },
  { name: 'decided', scene: decided() },
  editsAtOnce(),
  editedInDiff(),
  changedFiles(),
  toolLines(),
  coloured(),
  asking(),
  waiting('retry'),
  waiting('server'),
  waiting('resume'),
  waiting('parked'),
  waited(),
  incomplete(),
  failed(),
  stopped(),
  interrupted(false),
  interrupted(true),
  fork(),
  tree('tree'),
  tree('tree-tab', { surface: 'tab' }),
  notices(),
  notices('notices-narrow', { width: 200, press: 'notice-fold' }),
  followed('followed'),
  followed('followed-whole', { press: 'notice-fold' }),
  fileNoticeState(),
  cutCalls(),
  stopping(),
  tooLong(),
  tooLong(true),
  lowPanel(),
  hostile(),
  looking(),
  { name: 'branch-named', scene: withTodos() },
  { name: 'todos', scene: withTodos(), pressWord: 'To do' },
  {
    name: 'attached',
    scene: conversation(),
    snapshot: {
      draft: {
        text: 'Why does it look like this?',
        editing: null,
        attachments: [
          { kind: 'image', label: 'screen shot.png', blob: 'a'.repeat(64), mime: 'image/png' },
          { kind: 'file', label: 'Pasted text', text: 'x'.repeat(64_000) },
          { kind: 'folder', label: 'src/ui', path: 'src/ui' },
        ],
      },
    },
  },
  {
    name: 'named',
    scene: withInstructions(),
    snapshot: {
      draft: {
        text: '',
        editing: null,
        attachments: [
          { kind: 'problems', label: '3 problems in app.ts', text: 'x'.repeat(700) },
          { kind: 'terminal', label: 'bash: npm test', text: 'x'.repeat(9_000) },
          { kind: 'skill', label: 'pdf-forms' },
        ],
      },
    },
    calls: '@',
  },
  { name: 'slash', scene: conversation(), calls: '/' },
  { name: 'find', scene: conversation(), height: 900, find: 'greet' },
  compared('compare', { height: 900 }),
  compared('compare-tab', { surface: 'tab' }),
  filesOffered(),
  ...goalStates(),
  ...movedStates(),
  { name: 'code-block', scene: conversation(), height: 1100, hover: 'code-copy' },
];
