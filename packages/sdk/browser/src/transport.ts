const TIMEOUT_MS = 30_000;
/** The minimum length to compress. Smaller bodies gain nothing from compression. */
const MIN_GZIP_LENGTH = 1_000;

/** For Switchboard's own add-ons. May change with any version. */
export interface Transport {
  get(url: string, headers?: Record<string, string>): Promise<Response>;
  /** Posts JSON, compressed if the browser supports it. */
  post(url: string, json: string, headers?: Record<string, string>): Promise<Response>;
  /** Returns the number of bytes that `postLast` accepts now. The total in transit is limited. */
  room(): number;
  /** Posts JSON that contains the key, even while the page is closing. Rejects if there is no room. */
  postLast(url: string, json: string): Promise<Response>;
}

/**
 * The maximum total that is sent for a closing page. Browsers allow 64 KiB, and other code of the page needs
 * some of it.
 */
const MAX_LAST_BYTES = 60_000;

export function createTransport(key: string): Transport {
  const common: RequestInit = { credentials: 'omit', referrerPolicy: 'no-referrer', cache: 'no-store' };
  const headers = { Authorization: `Bearer ${key}` };
  let room = MAX_LAST_BYTES;
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
    room: () => room,
    async postLast(url, json) {
      const bytes = bytesOf(json);
      if (bytes > room) throw new Error('No room.');
      room -= bytes;
      try {
        // Plain text without headers, because there is no time for a CORS preflight request.
        return await fetch(url, { ...common, method: 'POST', body: json, keepalive: true });
      } finally {
        room += bytes;
      }
    },
  };
}

/** Returns the size of a text in UTF-8. */
export const bytesOf = (text: string) => new Blob([text]).size;

/** Compresses a text. Returns undefined if it is short or the browser does not support compression. */
async function gzip(text: string): Promise<Blob | undefined> {
  if (text.length < MIN_GZIP_LENGTH || !('CompressionStream' in globalThis)) return undefined;
  return new Response(new Blob([text]).stream().pipeThrough(new CompressionStream('gzip'))).blob();
}

const MAX_RETRY_AFTER_MS = 3_600_000;

/** Returns the wait that a response requests, in milliseconds, up to an hour. 0 if it requests none. */
export function retryAfterMs(response: Response): number {
  const value = response.headers.get('Retry-After') ?? '';
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Math.min(MAX_RETRY_AFTER_MS, Math.max(0, ms || 0));
}

const MAX_BACKOFF_MS = 60_000;

/**
 * Returns a delay that starts at half a second and doubles after each failure up to a minute. Half of it is random.
 */
export function backoffMs(failures: number): number {
  return Math.min(MAX_BACKOFF_MS, 500 * 2 ** failures) * (0.5 + Math.random() / 2);
}

/**
 * Like `JSON.stringify`, even if a library such as Prototype.js 1.6 changes how arrays, objects and dates are
 * serialized.
 */
export function toJson(value: unknown): string {
  if (!('toJSON' in Array.prototype)) return JSON.stringify(value);
  const changed = [Array.prototype, Object.prototype, Date.prototype].map(
    (prototype) => [prototype, Object.getOwnPropertyDescriptor(prototype, 'toJSON')] as const,
  );
  for (const [prototype] of changed) Reflect.deleteProperty(prototype, 'toJSON');
  Object.defineProperty(Date.prototype, 'toJSON', { configurable: true, value: isoOf });
  try {
    return JSON.stringify(value);
  } finally {
    for (const [prototype, own] of changed) if (own) Object.defineProperty(prototype, 'toJSON', own);
  }
}

function isoOf(this: Date): string | null {
  return Number.isNaN(this.getTime()) ? null : this.toISOString();
}
