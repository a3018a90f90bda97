import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import type { Context } from 'hono';
import { LRUCache } from 'lru-cache';
import type { Exchange } from './env.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * Returns a header by its name in lower case. Several headers of one name are joined, so it is not for headers that
 * must be unique, such as Authorization. `Request.headers` would first copy all headers.
 */
export function joinedHeader(
  request: Request,
  env: Pick<Exchange, 'incoming'> | undefined,
  name: string,
): string | undefined {
  if (env?.incoming === undefined) return request.headers.get(name) ?? undefined;
  return headerOfIncoming(env.incoming, name);
}

function headerOfIncoming({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** Returns the same in a handler, without creating a Hono request. */
export function headerOf(c: Context, name: string): string | undefined {
  const { incoming }: Partial<Exchange> = c.env ?? {};
  return incoming === undefined ? joinedHeader(c.req.raw, undefined, name) : headerOfIncoming(incoming, name);
}

/** Returns the caller's X-Request-Id if it is safe to log, otherwise a new id. */
export function requestId(given: string | undefined): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * Returns the caller's address for limits: that of the connection, or the X-Forwarded-For entry that the outermost
 * trusted proxy added. Entries further left are set by the caller and are ignored.
 */
export function clientAddress(
  request: Request,
  env: Pick<Exchange, 'incoming'> | undefined,
  trustedHops: number,
): string {
  const connection = env?.incoming?.socket.remoteAddress ?? '';
  const forwarded =
    trustedHops > 0 ? joinedHeader(request, env, 'x-forwarded-for')?.split(',').at(-trustedHops) : undefined;
  return (forwarded && networkOf(forwarded.trim())) || networkOf(connection) || 'unknown';
}

const IPV4_PORT = /^([\d.]+):\d+$/;
const IN_BRACKETS = /^\[([^\]]+)\](?::\d+)?$/;
const IPV4_MAPPED = '::ffff:';
const IPV6_GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * The networks of recent IPv6 and IPv4-mapped callers. Parsing an address takes as long as the rest of a small
 * request.
 */
const networks = new LRUCache<string, string>({ max: 1_000 });
/** Longer than any IPv6 address in brackets with a zone and a port. */
const MAX_ADDRESS_LENGTH = 100;

/**
 * Returns an IPv4 address, or the /64 network of an IPv6 address, since its holder can use every address in it.
 * Removes ports and unwraps IPv4-mapped IPv6. Returns undefined for anything else.
 */
function networkOf(text: string): string | undefined {
  if (isIPv4(text)) return text;
  if (text.length > MAX_ADDRESS_LENGTH) return undefined;
  const known = networks.get(text);
  if (known !== undefined) return known;
  const network = parseNetwork(text);
  if (network !== undefined) networks.set(text, network);
  return network;
}

function parseNetwork(text: string): string | undefined {
  const bare = (IPV4_PORT.exec(text) ?? IN_BRACKETS.exec(text))?.[1] ?? text;
  if (isIPv4(bare)) return bare;
  if (!isIPv6(bare)) return undefined;
  const { address } = new SocketAddress({ address: bare, family: 'ipv6' });
  const ipv4 = address.startsWith(IPV4_MAPPED) ? address.slice(IPV4_MAPPED.length) : '';
  if (isIPv4(ipv4)) return ipv4;
  const [head = [], tail = []] = address.split('::').map((groups) => groups.split(':').filter(Boolean));
  const zeros = Array.from({ length: IPV6_GROUPS - head.length - tail.length }, () => '0');
  return `${[...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}
