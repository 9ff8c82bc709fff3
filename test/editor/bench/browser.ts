// Chromium that can reach nothing but this machine.
import { type Browser, chromium } from 'playwright-core';

const args = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-dev-shm-usage',
  '--disable-sync',
  '--no-first-run',
  '--disable-features=Translate,OptimizationHints',
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
];

export function openBrowser(executablePath: string): Promise<Browser> {
  return chromium.launch({ executablePath, args });
}
