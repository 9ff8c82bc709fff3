/** A value that is built when it is first needed, once; a failed attempt is not kept. */
export interface Lazy<T> {
  (): Promise<T>;
  /** What has been built or is being built, without building it. */
  peek(): Promise<T> | undefined;
}

export function lazy<T>(build: () => Promise<T>): Lazy<T> {
  let value: Promise<T> | undefined;
  const get = () => {
    if (value) return value;
    const attempt = build();
    value = attempt;
    attempt.catch(() => {
      if (value === attempt) value = undefined;
    });
    return attempt;
  };
  return Object.assign(get, { peek: () => value });
}
