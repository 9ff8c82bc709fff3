import { afterEach, describe, expect, it, vi } from 'vitest';
import { Listeners } from '../../../src/log/listeners.js';

afterEach(() => vi.unstubAllGlobals());

describe('listeners', () => {
  it('are told in order until they leave, each as often as it joined', () => {
    const heard: string[] = [];
    const listeners = new Listeners<string>();
    const hear = (value: string): void => void heard.push(value);
    const first = listeners.add(hear);
    listeners.add(hear);
    listeners.tell('a');
    first.dispose();
    listeners.tell('b');
    expect(heard).toEqual(['a', 'a', 'b']);
  });

  it('that throw stop neither the others nor what told them; the bug surfaces on its own', () => {
    const later: (() => void)[] = [];
    vi.stubGlobal('queueMicrotask', (work: () => void) => later.push(work));
    const heard: string[] = [];
    const listeners = new Listeners<string>();
    listeners.add(() => {
      throw new Error('a bug');
    });
    listeners.add((value) => heard.push(value));
    listeners.tell('a');
    expect(heard).toEqual(['a']);
    expect(() => later[0]?.()).toThrow('a bug');
  });
});
