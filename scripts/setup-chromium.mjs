// Finds a Chromium for the editor tests; as root on Debian or Ubuntu it is installed when there is none.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { cacheFolder, withLock } from './cache.mjs';
import { must, say, which } from './shell.mjs';

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome'];

const usual = {
  darwin: ['/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'],
  win32: ['C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe'],
};

/** @returns {string | undefined} */
export function findChromium() {
  if (process.env.BOUGH_CHROMIUM) return process.env.BOUGH_CHROMIUM;
  const installed = (usual[process.platform] ?? []).find((file) => existsSync(file));
  return installed ?? names.map(which).find((file) => file !== undefined);
}

/**
 * The path of a Chromium, installing it if that is possible; otherwise an error that says what to do.
 * @returns {Promise<string>}
 */
export async function ensureChromium() {
  const found = findChromium();
  if (found) return found;
  const canInstall = process.getuid?.() === 0 && which('apt-get');
  if (!canInstall)
    throw new Error(
      'The editor tests need Chromium: install it (Debian, Ubuntu: apt-get install chromium fonts-dejavu-core) or set BOUGH_CHROMIUM to a Chrome.',
    );
  await withLock(path.join(cacheFolder(), 'chromium'), async () => {
    if (findChromium()) return;
    say('Chromium: installing it with apt-get');
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    await must('apt-get', ['update', '-qq'], { env });
    await must(
      'apt-get',
      ['install', '-y', '-qq', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
      { env },
    );
  });
  const installed = findChromium();
  if (!installed) throw new Error('apt-get installed Chromium, but none of its names is on the PATH.');
  return installed;
}
