// Installs the reference servers of the Model Context Protocol that the editor tests talk to into the cache: they bring a
// hundred packages that nothing else here needs.
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { cacheFolder, readIfThere, withLock } from './cache.mjs';
import { must, npm, say } from './shell.mjs';

const dependencies = {
  '@modelcontextprotocol/server-everything': '2026.8.31',
  '@modelcontextprotocol/server-filesystem': '2026.8.31',
  '@modelcontextprotocol/server-memory': '2026.8.31',
};

/** The script of each server by its name, installed if it is not there. */
export async function setupMcpServers() {
  const folder = path.join(cacheFolder(), 'mcp-servers');
  const wanted = JSON.stringify(dependencies);
  const isReady = async () => (await readIfThere(path.join(folder, '.ready'))) === wanted;
  if (!(await isReady())) {
    await withLock(folder, async () => {
      if (!(await isReady())) await install(folder, wanted);
    });
  }
  const script = (name) =>
    path.join(folder, 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js');
  return { everything: script('everything'), filesystem: script('filesystem'), memory: script('memory') };
}

async function install(folder, stamp) {
  say('MCP reference servers: fetching them');
  const base = `${folder}.tmp`;
  await rm(base, { recursive: true, force: true });
  await mkdir(base, { recursive: true });
  await writeFile(path.join(base, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const [command, ...first] = npm();
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  await must(command, [...first, 'install', ...flags], { cwd: base });
  await writeFile(path.join(base, '.ready'), stamp);
  await rm(folder, { recursive: true, force: true });
  await rename(base, folder);
}
