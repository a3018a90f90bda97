import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

const TIMEOUT_MS = 30_000;
const MIN_GZIP_LENGTH = 1_000;
const MAX_RETRY_AFTER_MS = 3_600_000;
const MAX_BACKOFF_MS = 60_000;
const compress = promisify(gzip);

export interface Transport {
  get(url: string, headers?: Record<string, string>): Promise<Response>;
  /** Posts JSON, compressed unless it is short. */
  post(url: string, json: string): Promise<Response>;
}

/** Creates requests with a project key. They reject without a response within 30 s, or when `signal` aborts. */
export function createTransport(key: string, signal: AbortSignal): Transport {
  const headers = { Authorization: `Bearer ${key}` };
  /** Not `AbortSignal.any` with a time-out: Node.js 20 may collect the latter as garbage, and a request never ends. */
  function inTime(): AbortSignal {
    const controller = new AbortController();
    const abort = () => controller.abort(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort);
    setTimeout(() => {
      signal.removeEventListener('abort', abort);
      controller.abort(new DOMException('No response in time.', 'TimeoutError'));
    }, TIMEOUT_MS).unref();
    return controller.signal;
  }
  return {
    get: (url, more) => fetch(url, { headers: { ...headers, ...more }, signal: inTime() }),
    async post(url, json) {
      const isShort = json.length < MIN_GZIP_LENGTH;
      return fetch(url, {
        method: 'POST',
        headers: {
          ...headers,
          'Content-Type': 'application/json',
          ...(isShort ? {} : { 'Content-Encoding': 'gzip' }),
        },
        body: isShort ? json : new Uint8Array(await compress(json)),
        signal: inTime(),
      });
    },
  };
}

/** Returns the wait that a response requests, in milliseconds, up to an hour. 0 if it requests none. */
export function retryAfterMs(response: Response): number {
  const value = response.headers.get('Retry-After');
  if (value === null) return 0;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms)) : 0;
}

/**
 * Returns a delay that starts at half a second and doubles after each failure up to a minute. Half of it is random.
 */
export function backoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}
