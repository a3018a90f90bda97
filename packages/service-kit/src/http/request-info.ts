import { randomUUID } from 'node:crypto';
import { isIPv4, isIPv6, SocketAddress } from 'node:net';
import type { Context } from 'hono';
import type { Exchange } from './env.ts';

const REQUEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

/**
 * A header by its name in lower case, in which several of one name are joined. Not for those of which there may be only
 * one, such as Authorization. `Request.headers` would first copy all headers.
 */
export function joinedHeader(
  { headers }: Request,
  env: Pick<Exchange, 'incoming'> | undefined,
  name: string,
): string | undefined {
  if (env?.incoming === undefined) return headers.get(name) ?? undefined;
  const value = env.incoming.headers[name];
  return typeof value === 'string' ? value : undefined;
}

/** The same in a handler. */
export function headerOf(c: Context, name: string): string | undefined {
  return joinedHeader(c.req.raw, c.env, name);
}

/** The caller's X-Request-Id if it is safe to log, otherwise a new one. */
export function requestId(given: string | undefined): string {
  return typeof given === 'string' && REQUEST_ID.test(given) ? given : randomUUID();
}

/**
 * The caller's address as limits count it: that of the connection, or the X-Forwarded-For entry that the outermost
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
 * An IPv4 address, or the /64 network of an IPv6 address, since its holder can use every address in it. Ports and the
 * form of IPv4 in IPv6 are undone; undefined for anything else.
 */
function networkOf(text: string): string | undefined {
  if (isIPv4(text)) return text;
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
