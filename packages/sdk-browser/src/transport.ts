const TIMEOUT_MS = 30_000;
/** Smaller bodies gain nothing from compression. */
const MIN_GZIP_LENGTH = 1_000;

/** For Switchboard's own add-ons; may change with any version. */
export interface Transport {
  get(url: string, headers?: Record<string, string>): Promise<Response>;
  /** Posts JSON, compressed where the browser can. */
  post(url: string, json: string, headers?: Record<string, string>): Promise<Response>;
  /** Bytes that `postLast` takes now: what it sends at one time is bounded. */
  room(): number;
  /** Posts JSON that has the key in it, also while the page is going away. Rejects what there is no room for. */
  postLast(url: string, json: string): Promise<Response>;
}

/** What a browser sends for a page that goes away: 64 KiB in all, with some room for others. */
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
        // As plain text without headers: a browser asks no permission first, for which there is no time.
        return await fetch(url, { ...common, method: 'POST', body: json, keepalive: true });
      } finally {
        room += bytes;
      }
    },
  };
}

/** The size of a text in UTF-8. */
export const bytesOf = (text: string) => new Blob([text]).size;

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

/** `JSON.stringify`, even if a library such as Prototype.js 1.6 changes how arrays, objects and dates are written. */
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
