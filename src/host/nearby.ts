/** Tells of a name or an address whether it leads to this computer or its own network instead of the whole net. */
import { BlockList, isIP } from 'node:net';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8);
loopback.addSubnet('0.0.0.0', 8);
loopback.addAddress('::1', 'ipv6');
loopback.addAddress('::', 'ipv6');

const inside = new BlockList();
for (const [net, bits] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['169.254.0.0', 16],
  ['100.64.0.0', 10],
] as const)
  inside.addSubnet(net, bits);
inside.addSubnet('fc00::', 7, 'ipv6');
inside.addSubnet('fe80::', 10, 'ipv6');
inside.addSubnet('fec0::', 10, 'ipv6');
inside.addSubnet('64:ff9b:1::', 48, 'ipv6');

/** A network without IPv4 reaches the IPv4 net below this one: what counts is the address that lies in it. */
const translated = new BlockList();
translated.addSubnet('64:ff9b::', 96, 'ipv6');

export function nearbyName(hostname: string): string | null {
  const host = hostname
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
    .toLowerCase();
  if (isIP(host) !== 0) return nearbyAddress(host);
  if (host === 'localhost' || host.endsWith('.localhost')) return 'on this computer';
  const isInside = !host.includes('.') || /\.(local|internal|intranet|lan|home|corp|home\.arpa)$/.test(host);
  return isInside ? 'in your own network' : null;
}

export function nearbyAddress(given: string): string | null {
  // Without the interface that an address of a link names.
  const address = given.replace(/%.*$/s, '');
  if (isIP(address) === 6 && translated.check(address, 'ipv6')) return nearbyAddress(embedded(address));
  const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(address, family)) return 'on this computer';
  return inside.check(address, family) ? 'in your own network' : null;
}

/** The IPv4 address in the last 32 bits. */
function embedded(address: string): string {
  // In one way of writing: `[64:ff9b::a00:1]`, where zeros at the end may be left out.
  const groups = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')[1]?.split(':') ?? [];
  const [high, low] = [groups.at(-2) ?? '', groups.at(-1) ?? ''].map((group) => parseInt(group || '0', 16));
  return [high, low].flatMap((part = 0) => [part >> 8, part & 255]).join('.');
}
