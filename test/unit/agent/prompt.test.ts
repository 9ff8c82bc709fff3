import { describe, expect, it } from 'vitest';
import { promptHash, systemPrompt, type PromptFacts } from '../../../src/agent/prompt.js';

const facts: PromptFacts = {
  surroundings: { system: 'Linux 6.1 x64', shell: '/bin/bash', date: '2026-03-01', instructions: [] },
  folders: [{ name: 'app', uri: 'file:///w/app', path: '/w/app' }],
  tools: [
    { spec: { name: 'read' }, risk: 'read' },
    { spec: { name: 'edit' }, risk: 'write' },
    { spec: { name: 'run' }, risk: 'run' },
  ],
  trusted: true,
  mode: 'ask' as const,
};

describe('the system prompt', () => {
  it('is the same for the same facts, and its hash with it', () => {
    expect(systemPrompt(structuredClone(facts))).toBe(systemPrompt(facts));
    expect(promptHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  it('keeps its beginning when only the day or the instructions change', () => {
    const before = systemPrompt(facts);
    const tomorrow = systemPrompt({ ...facts, surroundings: { ...facts.surroundings, date: '2026-03-02' } });
    expect(tomorrow.slice(0, -20)).toBe(before.slice(0, -20));
    expect(tomorrow).not.toBe(before);
  });

  it('names the tools that ask and the rules of those that are there', () => {
    expect(systemPrompt(facts)).toContain('before `edit` or `run` run');
    expect(systemPrompt(facts)).toContain('`old_text` must match exactly once');
    const reading = systemPrompt({ ...facts, tools: [{ spec: { name: 'read' }, risk: 'read' }] });
    expect(reading).not.toMatch(/# Approvals|old_text|`run`/);
    expect(systemPrompt({ ...facts, tools: [] })).toContain('You have no tools');
  });

  it('says where it works', () => {
    expect(systemPrompt(facts)).toContain('Workspace folder: /w/app');
    expect(systemPrompt({ ...facts, folders: [] })).toContain('No folder is open');
    const two = [...facts.folders, { name: 'lib', uri: 'vscode-vfs://github/o/lib' }];
    expect(systemPrompt({ ...facts, folders: two })).toContain(
      '`app/` (/w/app), `lib/` (vscode-vfs://github/o/lib)',
    );
    expect(systemPrompt({ ...facts, trusted: false })).toContain('not trusted');
    expect(systemPrompt(facts)).not.toContain('not trusted');
  });

  it('carries the instructions of the folder in order, shortened visibly when they are huge', () => {
    const instructions = [
      { path: 'AGENTS.md', text: ' Use tabs.\n' },
      { path: 'empty/AGENTS.md', text: '  ' },
      { path: 'sub/AGENTS.md', text: `HEAD ${'x'.repeat(100_000)} TAIL` },
    ];
    const prompt = systemPrompt({ ...facts, surroundings: { ...facts.surroundings, instructions } });
    expect(prompt).toMatch(
      /\(AGENTS\.md\)\nUse tabs\.\n\n# Instructions of this workspace \(sub\/AGENTS\.md\)\nHEAD x/,
    );
    expect(prompt).toMatch(/characters were left out here.*TAIL/s);
    expect(prompt).not.toContain('empty/');
  });
});
