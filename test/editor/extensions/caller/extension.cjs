// Another extension that uses Bough's public API, and runs commands that are in no menu, and shows what it got.
const vscode = require('vscode');
const { createStore } = require('./store.cjs');

exports.activate = (context) => {
  const bough = () => vscode.extensions.getExtension('bough.bough').activate();
  const ask = async () => {
    const api = await bough();
    const types = new Set();
    api.onEntry(({ entry }) => types.add(entry.type));
    const session = await api.open();
    const { text, messages, incomplete } = await session.prompt('Say hello');
    const [first] = await api.listSessions();
    const facts = {
      text,
      roles: messages.map(({ role }) => role),
      incomplete,
      title: first.title,
      ended: types.has('turn_end'),
    };
    vscode.window.showInformationMessage(`Bough says ${JSON.stringify(facts)}`);
  };
  /** Asks for a JSON array: the name, then the arguments; a call of the API begins with what marks its answer. */
  const asked = async () => JSON.parse(await vscode.window.showInputBox({ prompt: 'Name and arguments' }));
  const run = async () => {
    const [command, ...args] = await asked();
    await vscode.commands.executeCommand(command, ...args);
  };
  /** `publisher.name/call` is a call of the API of that extension alone. */
  const scoped = new Map();
  const apiFor = async (id) => {
    const api = await bough();
    if (id !== undefined && !scoped.has(id)) scoped.set(id, api.forExtension(id));
    return id === undefined ? api : scoped.get(id);
  };
  /** What JSON cannot say: a tool that runs, listeners, what is disposed of again by its name. */
  const held = new Map();
  const events = [];
  /** Short, for a notification holds little. */
  const heard = {
    onEntry: ({ session, position, entry }) => `${session} ${position} ${entry.type}`,
    onRetry: ({ attempt, delayMs, reason }) => `retry ${attempt} in ${delayMs} ms: ${reason}`,
    onStepResume: ({ step, resume, reason }) => `step ${step}, resume ${resume}: ${reason}`,
  };
  const special = {
    listen: (api, name) =>
      void held.set(
        name,
        api[name]((event) => events.push([name, heard[name](event)])),
      ),
    heard: (_, name) => events.flatMap(([which, text]) => (which === name ? [text] : [])).slice(-4),
    registerTool: async (api, tool) => {
      const run = async (input, { report }) => {
        report('looking\n');
        return `It was asked ${JSON.stringify(input)}`;
      };
      held.set(tool.name, await api.registerTool({ ...tool, run }));
    },
    registerPlatformPolicy: async (api, platform, policy) =>
      void held.set(platform, await api.registerPlatformPolicy(platform, policy)),
    dispose: (_, name) => held.get(name).dispose(),
  };
  const callOf = (api, method) => {
    if (Object.hasOwn(special, method)) return (...args) => special[method](api, ...args);
    const path = method.split('.');
    const last = path.pop();
    const owner = path.reduce((owner, name) => owner[name], api);
    return (...args) => owner[last](...args);
  };
  const call = async () => {
    const [mark, name, ...args] = await asked();
    try {
      const [method, id] = name.split('/').reverse();
      const result = await callOf(await apiFor(id), method)(...args);
      const told = result?.prompt ? { id: result.id, path: result.path, title: result.title } : result;
      vscode.window.showInformationMessage(`${mark} API ${name}: ${JSON.stringify(told ?? null)}`);
    } catch (error) {
      vscode.window.showInformationMessage(`${mark} API ${name} failed: ${error.code} ${error.message}`);
    }
  };
  /** What the store is to do: be registered or taken back, break or work again, say what it holds. */
  const kept = createStore();
  let registered;
  const works = {
    register: async () => (registered = await (await bough()).registerStore(kept.store)),
    dispose: () => registered.dispose(),
    break: () => (kept.state.isBroken = true),
    mend: () => (kept.state.isBroken = false),
    held: () => undefined,
  };
  const useStore = async () => {
    const [mark, work] = await asked();
    await works[work]();
    vscode.window.showInformationMessage(`${mark} STORE ${work}: ${JSON.stringify(kept.held())}`);
  };
  context.subscriptions.push(
    vscode.commands.registerCommand('caller.store', useStore),
    vscode.commands.registerCommand('caller.ask', ask),
    vscode.commands.registerCommand('caller.run', run),
    vscode.commands.registerCommand('caller.call', call),
  );
};
