// Writes THIRD_PARTY_NOTICES.txt: the licence of every package whose code or font is in the bundles.
import { readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { root } from './shell.mjs';

const rule = '-'.repeat(100);

/** `metafiles` are esbuild's; their inputs say what was bundled. */
export async function writeNotices(metafiles) {
  const notices = await Promise.all([...bundledPackages(metafiles)].sort().map(notice));
  const head = 'Bough contains the following third-party software.\n';
  await writeFile(path.join(root, 'THIRD_PARTY_NOTICES.txt'), [head, ...notices].join(`${rule}\n\n`));
}

function bundledPackages(metafiles) {
  const folders = new Set();
  for (const { outputs } of metafiles) {
    for (const { inputs } of Object.values(outputs)) {
      for (const file of Object.keys(inputs)) {
        const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
        if (folder) folders.add(folder);
      }
    }
  }
  return folders;
}

async function notice(folder) {
  const manifest = JSON.parse(await readFile(path.join(root, folder, 'package.json'), 'utf8'));
  const texts = await licenceTexts(path.join(root, folder));
  if (texts.length === 0 && !manifest.license)
    throw new Error(`${manifest.name} says nothing about its licence`);
  const link = homepage(manifest);
  const lines = [
    `${manifest.name} ${manifest.version} (${manifest.license ?? 'see below'})`,
    ...(link ? [link] : []),
  ];
  return `${lines.join('\n')}\n\n${texts.join('\n\n') || authorLine(manifest)}\n\n`;
}

async function licenceTexts(folder) {
  const names = (await readdir(folder)).filter((name) => /^(licen[cs]e|notice|copying)/i.test(name)).sort();
  return Promise.all(
    names.map(async (name) =>
      (await readFile(path.join(folder, name), 'utf8')).replace(/\r\n/g, '\n').trim(),
    ),
  );
}

function homepage({ homepage: page, repository }) {
  const link = page ?? (typeof repository === 'string' ? repository : repository?.url);
  return link?.replace(/^git\+/, '').replace(/\.git$/, '');
}

function authorLine({ author, license }) {
  const name = typeof author === 'string' ? author : author?.name;
  return `Licensed under ${license}${name ? `, by ${name}` : ''}.`;
}
