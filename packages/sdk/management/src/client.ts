import { errorOf, ManagementError } from './error.ts';
import { ROUTES } from './operations.ts';
import type { AnyInput, CallOptions, Client, ClientOptions, ListId, OperationId, Service } from './types.ts';

interface Route {
  service: Service;
  method: string;
  path: string;
  /** The property of the response that contains the entries of a list. */
  items?: string;
  /** Whether the operation accepts an Idempotency-Key. */
  isIdempotent?: boolean;
  isBinary?: boolean;
}

const RETRY_FOR_MS = 15_000;
const TIMEOUT_MS = 10_000;
const FIRST_BACKOFF_MS = 50;
const MAX_BACKOFF_MS = 1_000;

/** Creates a client of the management API and of every other operation that accepts an access token. */
export function createClient(clientOptions: ClientOptions): Client {
  const {
    url,
    token,
    isConsole = false,
    retryForMs = RETRY_FOR_MS,
    timeoutMs: defaultTimeoutMs = TIMEOUT_MS,
  } = clientOptions;

  async function call(operation: OperationId, input: AnyInput = {}, options: CallOptions = {}) {
    const route: Route = ROUTES[operation];
    const headers = new Headers({
      'Content-Type': route.isBinary ? 'application/octet-stream' : 'application/json',
    });
    // One key for all attempts: the API returns the first response to a repeat.
    if (route.isIdempotent) headers.set('Idempotency-Key', crypto.randomUUID());
    for (const [name, value] of Object.entries(input.headers ?? {})) if (value) headers.set(name, value);
    const deadline = performance.now() + retryForMs;
    const path = pathOf(route, input.params);
    for (let attempt = 0; ; attempt++) {
      headers.set('Authorization', `Bearer ${typeof token === 'string' ? token : await token()}`);
      try {
        return await send(route, path, input, headers, options);
      } catch (error) {
        const { signal } = options;
        signal?.throwIfAborted();
        if (!(error instanceof ManagementError) || !isRetryable(error, route)) throw error;
        const waitMs = (error.retryAfterMs ?? 0) + backoffMs(attempt);
        if (performance.now() + waitMs > deadline) throw error;
        await pause(waitMs, signal);
      }
    }
  }

  function pathOf(route: Route, params: Record<string, string> = {}): string {
    const template = isConsole ? route.path.replace(/^\/management/, '') : route.path;
    return template.replaceAll(/\{(.+?)\}/g, (_, name: string) => segmentOf(name, params[name] ?? ''));
  }

  async function send(
    route: Route,
    path: string,
    { query = {}, body }: AnyInput,
    headers: Headers,
    { signal, onETag, timeoutMs = defaultTimeoutMs }: CallOptions,
  ) {
    const { service, isBinary } = route;
    const method = route.method.toUpperCase();
    const given = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) given.set(name, String(value));
    }
    const search = given.toString();
    const base = (typeof url === 'string' ? url : url(service)).replace(/\/+$/, '');
    const inTime = AbortSignal.timeout(timeoutMs);
    let response: Response;
    let text: string;
    try {
      response = await fetch(`${base}${path}${search && `?${search}`}`, {
        method,
        headers,
        // A token is sent only to the configured URL.
        redirect: 'error',
        signal: signal === undefined ? inTime : AbortSignal.any([signal, inTime]),
        ...(body === undefined ? {} : { body: isBinary ? bytesOf(body) : JSON.stringify(body) }),
      });
      text = await response.text();
    } catch (error) {
      const why = inTime.aborted ? `no answer within ${timeoutMs / 1000} s` : reasonOf(error);
      throw new ManagementError(`${method} ${path}: ${service} cannot be reached at ${base} (${why})`, {
        isUncertain: why !== 'ECONNREFUSED' && why !== 'ENOTFOUND',
      });
    }
    if (!response.ok) throw errorOf(`${method} ${path}`, response, text);
    const etag = response.headers.get('ETag');
    if (etag !== null) onETag?.(etag);
    return text === '' ? undefined : JSON.parse(text);
  }

  async function* list(operation: ListId, input: AnyInput = {}, options: CallOptions = {}) {
    const { items } = ROUTES[operation];
    let cursor = input.query?.['cursor'];
    do {
      const page = await call(operation, { ...input, query: { ...input.query, cursor } }, options);
      yield* page[items];
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  const untyped = { call, list };
  return { call, list, untyped };
}

function isRetryable(
  { status, isUncertain }: ManagementError,
  { method, service, isIdempotent }: Route,
): boolean {
  // Without a response, the call may have taken effect, and a POST would then create a second resource.
  if (status === undefined) return method !== 'post' || isIdempotent === true || !isUncertain;
  if (status === 429 || status === 503) return true;
  // A service learns about a project shortly after catalogue.
  return status === 404 && service !== 'catalogue' && (method === 'put' || method === 'post');
}

/** Returns a random time below a limit that doubles with each attempt. */
function backoffMs(attempt: number): number {
  return Math.random() * Math.min(MAX_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** attempt);
}

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    signal?.addEventListener('abort', stop, { once: true });
  });
}

function bytesOf(body: unknown): Blob {
  return body instanceof Blob ? body : new Blob(body instanceof Uint8Array ? [new Uint8Array(body)] : []);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause
    ? String(cause.code)
    : (cause instanceof Error ? cause : error).message;
}

/** Encodes a value as a segment of a path. Throws ManagementError for . and .., which URLs lose even if encoded. */
function segmentOf(name: string, value: string): string {
  if (value === '.' || value === '..')
    throw new ManagementError(`${name} is "${value}", which no path can have`);
  return encodeURIComponent(value);
}
