/** Answers any prompt with what the workspace's own tools find: lists the folder, reads the file that tells most. */
import { digest } from './digest.js';
import { pathOf, readListing, readText, tellingFile, tellListing, type Listing } from './folder.js';
import { answer, call, gist, say, type Beat, type Done, type Scene, type Talk } from './talk.js';

const command = /^(?:please\s+)?run\s+`?([^`\n]+?)`?\s*$/i;
const wanted = /^(?:please\s+)?(?:find|search(?:\s+for)?|grep)\s+(.+)$/i;

const tryNext =
  'Things to try: `/demo edit` (an edit you approve), `/demo rate-limit`, `/demo drop`, `/demo branch`, `/demo crash`, ' +
  '`find some text`, or `run npm test`.';

const cannot = (tool: string): Beat[] => answer(`I was given no tool \`${tool}\`, so I cannot do that here.`);

const refusedBy = ({ name, content }: Done): Beat[] =>
  answer(`I asked the tool \`${name}\`, and it said: ${gist(content)}`);

const searchFor = (pattern: string, { done, tools }: Talk): Beat[] => {
  const found = done.find(({ name }) => name === 'search');
  if (!found) {
    if (!tools.has('search')) return cannot('search');
    return [
      say(`I am the demo. I search the folder for “${pattern}”.`),
      call('search', { pattern, max_results: 20 }),
    ];
  }
  if (found.isError) return refusedBy(found);
  const lines = found.content.split('\n').filter((line) => line.trim() !== '');
  const shown = lines
    .slice(0, 10)
    .map((line) => `    ${line.length > 160 ? `${line.slice(0, 159).toWellFormed()}…` : line}`);
  const more = lines.length > shown.length ? `\n\n…and ${lines.length - shown.length} more lines.` : '';
  return answer(`The tool \`search\` answered for “${pattern}”:\n\n${shown.join('\n')}${more}`, tryNext);
};

const runIt = (line: string, { done, tools }: Talk): Beat[] => {
  const ran = done.find(({ name }) => name === 'run');
  if (!ran) {
    if (!tools.has('run')) return cannot('run');
    return [
      say('I am the demo. That runs on your machine, so it waits for your approval.'),
      call('run', { command: line }),
    ];
  }
  const last = ran.content.trimEnd().split('\n').slice(-12);
  return answer(`\`${line}\` ended like this:\n\n${last.map((text) => `    ${text}`).join('\n')}`, tryNext);
};

/** `src/` of a list of `app/` is `app/src/`. */
const within = (folder: string | undefined, name: string): string =>
  folder === undefined || folder === '.' ? name : `${folder.replace(/\/$/, '')}/${name}`;

interface Place {
  folder: string | undefined;
  listing: Listing;
}

const placesOf = (done: readonly Done[]): Place[] =>
  done
    .filter(({ name, isError }) => name === 'list' && !isError)
    .map((one) => ({ folder: pathOf(one), listing: readListing(one.content) }));

const summary = (places: readonly Place[], read: Done | undefined): Beat[] => {
  const told = places.map(({ folder, listing }) =>
    tellListing(listing, folder === undefined ? 'This folder' : `\`${folder}\``),
  );
  const path = pathOf(read);
  if (!read || path === undefined) return answer(...told, 'I found no text file to read in it.', tryNext);
  const about = read.isError
    ? `I could not read \`${path}\`: ${gist(read.content)}`
    : digest(path, readText(read.content).text);
  return answer(...told, about, tryNext);
};

const lookAround = ({ prompt, done, tools }: Talk): Beat[] => {
  if (!tools.has('list') || !tools.has('read')) return cannot(tools.has('list') ? 'read' : 'list');
  const lists = done.filter(({ name }) => name === 'list');
  if (lists.length === 0) {
    return [
      say("I am Bough's built-in demo, not a language model. I look into the folder."),
      call('list', {}),
    ];
  }
  const failed = lists.find(({ isError }) => isError);
  if (failed) return refusedBy(failed);
  const places = placesOf(done);
  const read = done.find(({ name }) => name === 'read');
  const here = places.at(-1);
  if (read || !here) return summary(places, read);
  const file = tellingFile(here.listing.files, prompt);
  if (file !== undefined) {
    return [
      say(`I read \`${within(here.folder, file)}\`.`),
      call('read', { path: within(here.folder, file) }),
    ];
  }
  // Several workspace folders, or everything in one folder below: look one level deeper, once.
  const deeper = here.listing.folders.find((name) => !name.startsWith('.'));
  if (places.length > 1 || deeper === undefined) return summary(places, read);
  return [say(`I look into \`${deeper}\`.`), call('list', { path: deeper.replace(/\/$/, '') })];
};

export const explore: Scene = (talk) => {
  const line = command.exec(talk.prompt)?.[1];
  if (line !== undefined) return runIt(line, talk);
  const pattern = wanted.exec(talk.prompt)?.[1]?.replace(/^["'`“]|["'`”.?]+$/g, '');
  if (pattern !== undefined && pattern !== '') return searchFor(pattern, talk);
  return lookAround(talk);
};
