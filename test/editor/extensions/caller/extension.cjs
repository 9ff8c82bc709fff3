// Another extension that uses Bough's public API and shows what it got.
const vscode = require('vscode');

exports.activate = (context) => {
  const ask = async () => {
    const bough = await vscode.extensions.getExtension('bough.bough').activate();
    const types = new Set();
    bough.onEntry(({ entry }) => types.add(entry.type));
    const session = await bough.open();
    const { text, messages, incomplete } = await session.prompt('Say hello');
    const [first] = await bough.listSessions();
    const facts = {
      text,
      roles: messages.map(({ role }) => role),
      incomplete,
      title: first.title,
      ended: types.has('turn_end'),
    };
    vscode.window.showInformationMessage(`Bough says ${JSON.stringify(facts)}`);
  };
  context.subscriptions.push(vscode.commands.registerCommand('caller.ask', ask));
};
