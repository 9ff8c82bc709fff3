// Scene k, first half: whatever a model writes is text; and nothing of ours stands in the way of assistive technology.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import type { FrameLocator } from 'playwright-core';
import { expect, test } from 'vitest';
import { reply } from '../model-server/index.js';
import { withScriptedModel } from './scripted.js';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

interface Finding {
  id: string;
  nodes: { html: string; failureSummary?: string }[];
}

/** axe inside our frame: the policy refuses a script tag, evaluating is not one. */
async function findings(chat: FrameLocator, contrast: boolean): Promise<Finding[]> {
  return chat.locator('body').evaluate(
    async (_body, [source, withContrast]) => {
      const scope = globalThis as unknown as {
        axe?: { run(root: unknown, options: object): Promise<{ violations: Finding[] }> };
      };
      if (!scope.axe) (0, eval)(source);
      const rules = { 'color-contrast': { enabled: withContrast } };
      const { violations } = (await scope.axe?.run(document, { runOnly: ['wcag2a', 'wcag2aa'], rules })) ?? {
        violations: [],
      };
      return violations.map(({ id, nodes }) => ({
        id,
        nodes: nodes.map(({ html, failureSummary }) => ({ html, failureSummary: failureSummary ?? '' })),
      }));
    },
    [axeSource, contrast] as const,
  );
}

test('hostile Markdown is shown as text: no element, no request, no violation', async () => {
  const asked: string[] = [];
  const remote = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.end();
  });
  await new Promise<void>((resolve) => remote.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(remote.address() as AddressInfo).port}`;
  try {
    await withScriptedModel({}, async ({ editor, server, person }) => {
      server.enqueue(
        reply.text(
          `<script>document.body.dataset.hacked = '1'</script>\n\n<img src="${origin}/a.png" onerror="document.body.dataset.hacked = '2'">\n\n`,
          `[run](command:workbench.action.quit) [js](javascript:alert(1)) ![picture](${origin}/b.png)\n\n`,
          '<style>*{display:none}</style>\n\n</script>\n\n<iframe src="https://example.invalid"></iframe>\n\n',
          '| a | b |\n|---|---|\n| 1 | 2 |\n\n- [x] done\n- [ ] open\n\n```ts\nconst x = "<b>";\n```\n\nThe end.',
        ),
      );
      await person.send('Show me **Markdown** <script>alert(1)</script>');
      await person.says('The end.');
      await person.run('idle');
      const body = person.chat.locator('body');
      expect(await body.getAttribute('data-hacked')).toBeNull();
      await person.chat.getByText('onerror').first().waitFor();
      const transcript = person.at('transcript');
      expect(await transcript.locator('script, style, iframe, object, img[src^="http"]').count()).toBe(0);
      expect(await transcript.locator('a[href^="command:"], a[href^="javascript:"]').count()).toBe(0);
      expect(await transcript.locator('table').count()).toBe(1);
      expect(asked).toEqual([]);
      expect(editor.policyViolations()).toEqual([]);
      await editor.screenshot('hostile');

      expect(await findings(person.chat, false)).toEqual([]);
      await editor.setTheme('Dark High Contrast');
      expect(await findings(person.chat, true)).toEqual([]);
      await editor.screenshot('hc-dark');
      await editor.setTheme('Light High Contrast');
      expect(await findings(person.chat, true)).toEqual([]);
      await editor.screenshot('hc-light');
      await editor.setTheme('Light Modern');
      expect(await findings(person.chat, false)).toEqual([]);
      await editor.screenshot('light');
    });
  } finally {
    await new Promise((resolve) => remote.close(resolve));
  }
});
