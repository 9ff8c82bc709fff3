/** Kills this process at its n-th call that changes something on disk: before the call, or half way through a write. */
import fs from 'node:fs/promises';
import { constants } from 'node:fs';

type Call = (...args: never[]) => Promise<unknown>;

/** `torn`: a write puts half of its bytes there before the end; other calls are not made. Returns how many there were. */
export function stopAt(nth: number, how: 'before' | 'torn'): () => number {
  let calls = 0;
  const die = (): Promise<never> => {
    process.kill(process.pid, 'SIGKILL');
    return new Promise(() => undefined);
  };
  const counted = (call: () => Promise<unknown>, half?: () => Promise<unknown>): Promise<unknown> => {
    calls++;
    if (calls !== nth) return call();
    return how === 'torn' && half !== undefined ? half().then(die, die) : die();
  };
  const target = fs as unknown as Record<string, Call>;
  for (const name of ['mkdir', 'rename', 'link', 'unlink', 'rm', 'truncate', 'chmod']) {
    const original = target[name]?.bind(fs);
    if (original !== undefined) target[name] = (...args) => counted(() => original(...args));
  }
  const open = fs.open.bind(fs);
  fs.open = async (file, flags, mode) => {
    const isCreating = typeof flags === 'number' && (flags & constants.O_CREAT) !== 0;
    const opening = (): Promise<fs.FileHandle> => open(file, flags, mode);
    const handle = isCreating ? ((await counted(opening)) as fs.FileHandle) : await opening();
    const write = handle.write.bind(handle) as unknown as Call;
    const shorten = handle.truncate.bind(handle);
    const write2 = (bytes: Uint8Array, from: number, length: number): Promise<unknown> =>
      counted(
        () => write(...([bytes, from, length, null] as never[])),
        () => write(...([bytes, from, Math.floor(length / 2), null] as never[])),
      );
    return Object.assign(handle, {
      write: write2 as unknown as typeof handle.write,
      truncate: (length?: number) => counted(() => shorten(length)) as Promise<void>,
    });
  };
  return () => calls;
}
