// Plays a model for `vscode.lm`: asks for one tool call, then repeats what the tool said.
const vscode = require('vscode');

const information = {
  id: 'parrot',
  name: 'Parrot',
  family: 'parrot',
  version: '1',
  maxInputTokens: 100000,
  maxOutputTokens: 4096,
  capabilities: { toolCalling: true },
};

async function provideLanguageModelChatResponse(_model, messages, options, progress) {
  const parts = messages.flatMap((message) => [...message.content]);
  const result = parts.findLast((part) => part instanceof vscode.LanguageModelToolResultPart);
  if (result) {
    const text = result.content.map((part) => part.value ?? '').join('');
    progress.report(new vscode.LanguageModelTextPart(`Parrot read: ${text}`));
    return;
  }
  const names = (options.tools ?? []).map((tool) => tool.name);
  progress.report(new vscode.LanguageModelTextPart('Parrot looks. '));
  if (names.includes('read'))
    progress.report(new vscode.LanguageModelToolCallPart('call-1', 'read', { path: 'seed.txt' }));
}

exports.activate = (context) => {
  const provider = {
    provideLanguageModelChatInformation: () => [information],
    provideLanguageModelChatResponse,
    provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('tests', provider));
};
