// Steeping times in seconds.
export const teas = {
  green: 120,
  black: 240,
  white: 180,
  herbal: 360,
};

export function secondsFor(name) {
  const seconds = teas[name];
  if (seconds === undefined) throw new Error(`Unknown tea: ${name}`);
  return seconds;
}
