import { isAddress, isReachable } from '@switchboard/runtime';
import { BadRequest } from './errors.ts';

/**
 * Throws BadRequest for a webhook's URL to which nothing is ever sent. `field` names it in the request. `networks` are
 * those of WEBHOOK_PRIVATE_NETWORKS. A name is checked each time something is sent.
 */
export function requireSendable(
  url: string,
  field: string,
  networks: Parameters<typeof isReachable>[1] = [],
): void {
  const { protocol, hostname, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  if (username !== '' || password !== '') throw new BadRequest(`${field}: contains a user name or password`);
  if (isAddress(host) && !isReachable(host, networks)) {
    throw new BadRequest(
      `${field}: ${host} is a private address, which WEBHOOK_PRIVATE_NETWORKS does not list`,
    );
  }
  const isListed = isAddress(host) && !isReachable(host, []);
  if (protocol !== 'https:' && !isListed) throw new BadRequest(`${field}: not an https URL`);
}
