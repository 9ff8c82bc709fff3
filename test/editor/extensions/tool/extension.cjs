// Registers a tool for `vscode.lm`: its result is text, prompt-tsx and, for one place, an error.
const vscode = require('vscode');

exports.activate = (context) => {
  const tool = {
    invoke: async ({ input }) => {
      if (input.place === 'Atlantis') throw new Error('there is no such place');
      return new vscode.LanguageModelToolResult([
        new vscode.LanguageModelTextPart(`Rain in ${input.place}.`),
        new vscode.LanguageModelPromptTsxPart({
          node: { type: 1, children: [{ type: 2, text: 'Take a coat.' }] },
        }),
      ]);
    },
  };
  context.subscriptions.push(vscode.lm.registerTool('tests_weather', tool));
};
