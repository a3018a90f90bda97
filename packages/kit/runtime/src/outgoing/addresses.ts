import type { LookupFunction } from 'node:net';
import ipaddr from 'ipaddr.js';
import type { Network } from '../settings/fields.ts';
import type { ResolveName } from './names.ts';

/** An address that requests must not reach. The message names the host and how to allow it. */
export class PrivateAddress extends Error {
  override name = 'PrivateAddress';
}

const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');
/** A public address that the virtual machine's own host answers on Azure. */
const AZURE_HOST = '168.63.129.16';

/** Returns whether a host is an IP address. */
export const isAddress = (host: string): boolean => ipaddr.isValid(host);

/** Whether an address is on the internet or in one of the networks. Accepts IPv4 addresses mapped to IPv6. */
export function isReachable(address: string, networks: readonly Network[]): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address);
  if (ipaddr.subnetMatch(parsed, { allowed: [...networks] }, 'none') === 'allowed') return true;
  if (parsed.range() !== 'unicast' || parsed.toString() === AZURE_HOST) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Throws PrivateAddress if the host of a URL is an unreachable address. */
export function requireReachable({ hostname }: URL, networks: readonly Network[], setting: string): void {
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  if (ipaddr.isValid(host) && !isReachable(host, networks)) throw refusal(host, host, setting);
}

/**
 * Returns a lookup for connections. The checked addresses are the ones connected to, so a name cannot change its
 * address in between. One address that is not reachable rejects the name.
 */
export function reachableLookup(
  networks: readonly Network[],
  setting: string,
  resolve: ResolveName,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const refused = addresses.find(({ address }) => !isReachable(address, networks));
        const [first] = addresses;
        if (refused) callback(refusal(hostname, refused.address, setting), []);
        else if (options.all || first === undefined) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error, []),
    );
  };
}

const refusal = (host: string, address: string, setting: string) =>
  new PrivateAddress(`${host} resolves to the private address ${address}, which ${setting} does not list`);
