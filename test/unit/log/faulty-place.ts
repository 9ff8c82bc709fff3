/** Where most tests of the log work: a fresh folder for each, and a store on it whose file system fails as a test says. */
import path from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import type { FileStore } from '../../../src/log/file-store.js';
import { createNodeFiles } from '../../../src/log/node-files.js';
import { FaultyFiles } from './faulty-files.js';
import { makePlace, type Place } from './support.js';

export interface FaultyPlace {
  place: Place;
  files: FaultyFiles;
  store: FileStore;
  inSessions: (...names: string[]) => string;
}

/** Hands `take` a new one before each test of the file, and clears it away after. */
export function useFaultyPlace(take: (made: FaultyPlace) => void): void {
  let made: FaultyPlace | undefined;
  beforeEach(async () => {
    const place = await makePlace();
    const files = new FaultyFiles(createNodeFiles());
    const inSessions = (...names: string[]): string => path.join(place.folder, 'sessions', ...names);
    made = { place, files, store: place.store({ files }), inSessions };
    take(made);
  });
  afterEach(async () => {
    made?.files.heal();
    await made?.place.dispose();
  });
}
