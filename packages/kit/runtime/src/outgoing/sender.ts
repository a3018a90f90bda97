import type { Measure } from '@switchboard/resilience';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import type { Network } from '../settings/fields.ts';
import type { OutgoingConfig } from '../settings/outgoing.ts';
import { PrivateAddress, reachableLookup, requireReachable } from './addresses.ts';
import { type ResolveName, systemNames } from './names.ts';

interface SenderOptions {
  config: OutgoingConfig;
  /** The time limit for the whole exchange, from the name look-up to the last byte of the response. */
  timeoutMs: number;
  /** The size limit for the body of a response. 0: bodies are not read, and responses have none. */
  maxBytes: number;
  /** Whether a larger body fails the request, or is cut at the limit. Default: fail. */
  excess?: 'fail' | 'cut';
  /** Private networks that may be reached, and the setting that lists them. Default: OUTGOING_PRIVATE_NETWORKS. */
  privateNetworks?: { setting: string; networks: readonly Network[] | undefined };
  /** Called for every exchange. A 5xx response is a failure. */
  measure?: Measure;
  /** Default: `systemNames`. */
  resolve?: ResolveName;
}

/**
 * Sends an HTTP request to a third party, with the parameters of `fetch`. The response is returned when it is
 * complete. Redirects are returned, never followed. Throws SendFailed; an abort by the caller's signal throws its
 * reason.
 */
export type Send = (url: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** No response, or none within the limits. The message contains nothing of the response. */
export class SendFailed extends Error {
  override name = 'SendFailed';
  readonly kind: 'late' | 'large' | 'refused' | 'unreachable';

  constructor(kind: SendFailed['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

/** How long idle connections are kept, regardless of what the server asks for. */
const KEEP_ALIVE_MS = 4_000;

/**
 * Creates a sender for requests to untrusted servers. It enforces a deadline and a response size, and rejects private
 * addresses that are not allowed. With a proxy, the proxy resolves names and must reject private networks itself.
 */
export function createSender({
  config,
  timeoutMs,
  maxBytes,
  excess = 'fail',
  privateNetworks,
  measure,
  resolve = systemNames,
}: SenderOptions): Send {
  const { setting, networks = [] } = privateNetworks ?? {
    setting: 'OUTGOING_PRIVATE_NETWORKS',
    networks: config.OUTGOING_PRIVATE_NETWORKS,
  };
  const dispatcher = openDispatcher(config, {
    allowH2: false,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    keepAliveMaxTimeout: KEEP_ALIVE_MS,
    connect: { timeout: timeoutMs, lookup: reachableLookup(networks, setting, resolve) },
  });

  async function exchange(sent: Request, signal: AbortSignal): Promise<Response> {
    const {
      statusCode: status,
      headers,
      body,
    } = await request(sent.url, {
      method: sent.method,
      headers: Object.fromEntries(sent.headers),
      body: sent.body === null ? null : Buffer.from(await sent.arrayBuffer()),
      signal,
      dispatcher,
    });
    const bytes = await readBounded(body, maxBytes, excess);
    const isEmpty = maxBytes === 0 || [204, 205, 304].includes(status);
    return new Response(isEmpty ? null : bytes, { status, headers: headersOf(headers) });
  }

  return async (url, init) => {
    const sent = new Request(url, init);
    const bound = new AbortController();
    const timer = setTimeout(() => bound.abort(), timeoutMs);
    const endCall = measure?.('request');
    try {
      requireReachable(new URL(sent.url), networks, setting);
      const response = await exchange(sent, AbortSignal.any([bound.signal, sent.signal]));
      endCall?.(response.status >= 500 ? response.status : undefined);
      return response;
    } catch (error) {
      endCall?.(error);
      if (bound.signal.aborted) throw new SendFailed('late', `no answer within ${timeoutMs / 1000} s`);
      sent.signal.throwIfAborted();
      throw toSendFailed(error);
    } finally {
      clearTimeout(timer);
    }
  };
}

function openDispatcher(config: OutgoingConfig, options: Agent.Options): Dispatcher {
  const { OUTGOING_PROXY_URL: proxy, OUTGOING_PROXY_BYPASS: noProxy = '' } = config;
  if (proxy === undefined) return new Agent(options);
  return new EnvHttpProxyAgent({ ...options, httpProxy: proxy, httpsProxy: proxy, noProxy });
}

async function readBounded(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  excess: 'fail' | 'cut',
): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Also closes the connection of a body that is not read.
  body.on('error', () => undefined);
  if (maxBytes === 0) body.destroy();
  else {
    for await (const chunk of body) {
      size += chunk.byteLength;
      chunks.push(chunk);
      if (size <= maxBytes) continue;
      if (excess === 'fail') throw new SendFailed('large', `a response of more than ${maxBytes} bytes`);
      // Leaving the loop closes the connection.
      break;
    }
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

/** Returns the headers without those that describe the connection. */
function headersOf(received: NodeJS.Dict<string | string[]>): Headers {
  const headers = new Headers();
  for (const [name, value = []] of Object.entries(received)) {
    if (['connection', 'keep-alive', 'transfer-encoding', 'content-length'].includes(name)) continue;
    for (const one of [value].flat()) headers.append(name, one);
  }
  return headers;
}

/** Keeps the code of other errors, since their messages may quote a server's response. */
function toSendFailed(error: unknown): SendFailed {
  if (error instanceof SendFailed) return error;
  if (error instanceof PrivateAddress) return new SendFailed('refused', error.message);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'no connection';
  return new SendFailed('unreachable', `no answer: ${code}`);
}
