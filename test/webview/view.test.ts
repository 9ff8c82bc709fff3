// @vitest-environment node
// The view in Chromium: what needs real layout, focus, keys and scrolling. One browser for all of it.
import type { Browser } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { type ChatPage, chromiumPath, type Open, openBrowser, openChat } from './bench/chat-page.js';
import { approvalTests } from './view/approvals.js';
import { attachTests } from './view/attach.js';
import { branchTests } from './view/branches.js';
import { compareTests } from './view/compare.js';
import { composerTests } from './view/composer.js';
import { endTests } from './view/ends.js';
import { findTests } from './view/find.js';
import { goalTests } from './view/goal.js';
import { readingTests } from './view/reading.js';
import { roomTests } from './view/room.js';
import { transcriptTests } from './view/transcript.js';
import { treeTests } from './view/tree.js';
import { troubleTests } from './view/trouble.js';
import { usageTests } from './view/usage.js';

describe.skipIf(chromiumPath === undefined)('the chat view', { timeout: 60_000 }, () => {
  let browser: Browser;
  const opened: ChatPage[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
  }, 60_000);
  afterEach(async () => {
    for (const chat of opened.splice(0)) {
      expect(chat.errors).toEqual([]);
      await chat.page.close();
    }
  });
  afterAll(() => browser.close());

  const open: Open = async (scene, options) => {
    const chat = await openChat(browser, scene, options);
    opened.push(chat);
    return chat;
  };

  composerTests(open);
  attachTests(open);
  approvalTests(open);
  troubleTests(open);
  goalTests(open);
  transcriptTests(open);
  findTests(open);
  readingTests(open);
  branchTests(open);
  treeTests(open);
  compareTests(open);
  roomTests(open);
  usageTests(open);
  endTests(open);
});
