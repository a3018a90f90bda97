import { BadRequest } from '@switchboard/http';
import { isAddress, isReachable } from '@switchboard/runtime';
import type { DeliveryConfig } from '../config.ts';

/** Throws BadRequest for a URL that messages are never sent to. A name is checked at each attempt. */
export function requireSendable(
  url: string,
  { WEBHOOK_PRIVATE_NETWORKS: networks = [] }: Pick<DeliveryConfig, 'WEBHOOK_PRIVATE_NETWORKS'>,
): void {
  const { protocol, hostname, username, password } = new URL(url);
  const host = hostname.replace(/^\[(.+)\]$/, '$1');
  if (username !== '' || password !== '')
    throw new BadRequest('url: contains a user name or password; the signature identifies Switchboard');
  if (isAddress(host) && !isReachable(host, networks))
    throw new BadRequest(`url: ${host} is a private address, which WEBHOOK_PRIVATE_NETWORKS does not list`);
  const isListed = isAddress(host) && !isReachable(host, []);
  if (protocol !== 'https:' && !isListed) throw new BadRequest('url: not an https URL');
}
