/** Addresses of servers: whether one is on this machine, and how a base URL and a path become one. */

export type Fetch = typeof globalThis.fetch;

/** Hosts that never leave this machine: localhost, 127.0.0.0/8, ::1. */
export const isLoopback = (url: string): boolean => {
  const parsed = URL.parse(url);
  if (!parsed) return false;
  const host = parsed.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  return (
    host === 'localhost' || host.endsWith('.localhost') || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
  );
};

/** The origin a key is bound to; undefined when it is no http address. */
export const originOf = (url: string): string | undefined => {
  const parsed = URL.parse(url);
  return parsed && /^https?:$/.test(parsed.protocol) ? parsed.origin : undefined;
};

export const joinUrl = (base: string, path: string): string => `${base.replace(/\/+$/, '')}${path}`;
