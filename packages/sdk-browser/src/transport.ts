const TIMEOUT_MS = 30_000;
/** Smaller bodies gain nothing from compression. */
const MIN_GZIP_LENGTH = 1_000;

/** For Switchboard's own add-ons; may change with any version. */
export interface Transport {
  get(url: string, headers?: Record<string, string>): Promise<Response>;
  /** Posts JSON, compressed where the browser can. */
  post(url: string, json: string, headers?: Record<string, string>): Promise<Response>;
  /** Posts JSON that has the key in it, also while the page is going away. Up to 64 KiB in all. */
  postLast(url: string, json: string): Promise<Response>;
}

export function createTransport(key: string): Transport {
  const common: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' };
  const headers = { Authorization: `Bearer ${key}` };
  return {
    get: (url, more) =>
      fetch(url, { ...common, headers: { ...headers, ...more }, signal: AbortSignal.timeout(TIMEOUT_MS) }),
    async post(url, json, more) {
      const gzipped = await gzip(json);
      return fetch(url, {
        ...common,
        method: 'POST',
        headers: {
          ...headers,
          ...more,
          'Content-Type': 'application/json',
          ...(gzipped && { 'Content-Encoding': 'gzip' }),
        },
        body: gzipped ?? json,
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
    },
    // As plain text without headers: a browser asks no permission first, for which there is no time.
    postLast: (url, json) => fetch(url, { ...common, method: 'POST', body: json, keepalive: true }),
  };
}

/** Undefined if it is short, or the browser cannot. */
async function gzip(text: string): Promise<Blob | undefined> {
  if (text.length < MIN_GZIP_LENGTH || !('CompressionStream' in globalThis)) return undefined;
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/** The wait that a response asks for, in milliseconds; 0 if none. Up to an hour. */
export function retryAfterMs(response: Response): number {
  const value = response.headers.get('Retry-After') ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms || 0));
}

const MAX_BACKOFF_MS = 60_000;

/** Half a second, then twice as long after each failure up to a minute; half of it is random. */
export function backoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}
