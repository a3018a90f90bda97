import { randomUUID } from 'node:crypto';
import { localAccess } from '@switchboard/demo';
import { type HttpServer, listen } from '@switchboard/http';

type Fetch = (request: Request, env: object) => Response | Promise<Response>;

const NAMES = ['api', 'events', 'replay', 'management', 'console'] as const;
export type AddressName = (typeof NAMES)[number];

export interface Addresses {
  urls: Record<AddressName, string>;
  /** Sets the handler of an address. Until then, every request gets a 503. */
  serve(name: AddressName, fetch: Fetch): void;
  close(graceMs: number): Promise<void>;
}

interface AddressOptions {
  host: string;
  /** The first of five ports. 0 picks five free ones. */
  port: number;
  /** The host names to accept, besides `host`, `localhost` and IP addresses. */
  allowedHosts: readonly string[];
}

/** Listens on five ports, so that the addresses are known before services start. */
export async function openAddresses({ host, port, allowedHosts }: AddressOptions): Promise<Addresses> {
  const handlers = new Map<AddressName, Fetch>();
  const servers: HttpServer[] = [];
  const urls: Partial<Record<AddressName, string>> = {};
  const starting = () =>
    Response.json(
      {
        error: {
          code: 'UNAVAILABLE',
          message: 'Switchboard is starting. Retry after the time in Retry-After.',
        },
      },
      { status: 503, headers: { 'Retry-After': '1', 'X-Request-Id': randomUUID() } },
    );
  const close = async (graceMs: number) =>
    void (await Promise.all(servers.map((server) => server.close(graceMs))));
  try {
    for (const [index, name] of NAMES.entries()) {
      const server = await listen({
        host,
        port: port === 0 ? 0 : port + index,
        fetch: localAccess((request, env) => handlers.get(name)?.(request, env) ?? starting(), {
          hosts: [host, ...allowedHosts],
          // Pages of any origin may call the public hosts.
          ownPagesOnly: name === 'management',
        }),
      });
      servers.push(server);
      urls[name] = `http://${isEverywhere(host) ? '127.0.0.1' : bracketed(host)}:${server.port}`;
    }
  } catch (error) {
    await close(0);
    throw error;
  }
  return { urls: complete(urls), serve: (name, fetch) => void handlers.set(name, fetch), close };
}

const isEverywhere = (host: string) => host === '0.0.0.0' || host === '::';
const bracketed = (host: string) => (host.includes(':') ? `[${host}]` : host);

function complete({ api = '', events = '', replay = '', management = '', console = '' }): Addresses['urls'] {
  return { api, events, replay, management, console };
}
