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

const textOf = (parts) => parts.map((part) => part.value ?? '').join('');

async function provideLanguageModelChatResponse(_model, messages, options, progress) {
  const parts = [...(messages.at(-1)?.content ?? [])];
  const result = parts.findLast((part) => part instanceof vscode.LanguageModelToolResultPart);
  if (result) {
    progress.report(new vscode.LanguageModelTextPart(`Parrot read: ${textOf([...result.content])}`));
    return;
  }
  const names = (options.tools ?? []).map((tool) => tool.name);
  const place = /weather in (\w+)/.exec(textOf(parts))?.[1];
  const [name, input] = place ? ['tests_weather', { place }] : ['read', { path: 'seed.txt' }];
  progress.report(new vscode.LanguageModelTextPart('Parrot looks. '));
  if (names.includes(name))
    progress.report(new vscode.LanguageModelToolCallPart(`call-${place}`, name, input));
  else progress.report(new vscode.LanguageModelTextPart(`Parrot has no ${name}.`));
}

exports.activate = (context) => {
  const provider = {
    provideLanguageModelChatInformation: () => [information],
    provideLanguageModelChatResponse,
    provideTokenCount: async (_model, text) => Math.ceil(JSON.stringify(text).length / 4),
  };
  context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider('tests', provider));
};
