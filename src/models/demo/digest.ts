/** A few true words about a file, made from its text alone. */

const names = (value: unknown): string[] =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.keys(value) : [];

const field = (value: object, name: string): unknown => (value as Record<string, unknown>)[name];

const list = (items: readonly string[], most = 8): string =>
  items
    .slice(0, most)
    .map((item) => `\`${item}\``)
    .join(', ') + (items.length > most ? ` and ${items.length - most} more` : '');

const manifest = (text: string): string | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const [name, about] = [field(value, 'name'), field(value, 'description')];
  const scripts = names(field(value, 'scripts'));
  const needs = [...names(field(value, 'dependencies')), ...names(field(value, 'devDependencies'))];
  const facts = [
    typeof name === 'string' ? `it is called **${name}**` : undefined,
    typeof about === 'string' && about !== '' ? `describes itself as “${about}”` : undefined,
    scripts.length > 0 ? `has the scripts ${list(scripts)}` : undefined,
    needs.length > 0 ? `depends on ${list(needs)}` : undefined,
  ].filter((fact) => fact !== undefined);
  return facts.length > 0 ? facts.join(', ') : `its keys are ${list(names(value))}`;
};

const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;

const prose = (text: string): string => {
  const lines = text.split('\n').map((line) => line.trim());
  const heading = lines.find((line) => /^#{1,6}\s/.test(line))?.replace(/^#+\s*/, '');
  const first = lines.find((line) => /^[\p{L}\p{N}"'“(*_`]/u.test(line));
  const count = text.replace(/\n$/, '').split('\n').length;
  const facts = [
    `it has ${count} ${count === 1 ? 'line' : 'lines'}`,
    heading === undefined ? undefined : `its heading is **${cut(heading, 120)}**`,
    first === undefined ? undefined : `it begins “${cut(first, 200)}”`,
  ].filter((fact) => fact !== undefined);
  return facts.join(', ');
};

export const digest = (path: string, text: string): string => {
  if (text.trim() === '') return `\`${path}\` is empty.`;
  const facts = /\.json$/i.test(path) ? (manifest(text) ?? prose(text)) : prose(text);
  return `I read \`${path}\`: ${facts}.`;
};
