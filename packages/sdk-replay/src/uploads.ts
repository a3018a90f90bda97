import { backoffMs, createTransport, retryAfterMs } from '@switchboard/browser/transport';

/** An upload as the server takes it, without its key. */
export interface Chunk {
  session: string;
  seq: number;
  /** JSON of an object. */
  body: string;
}

export interface Uploads {
  add(chunk: Chunk): void;
  /** Sends what fits while the page goes away; returns the chunks that may not arrive. */
  sendLast(): Chunk[];
  close(): void;
}

interface UploadsOptions {
  key: string;
  url: string;
  /** The recording cannot go on: the server refuses it, or too much waits. */
  onFailure(message: string, status?: number): void;
}

const MAX_WAITING_LENGTH = 16_000_000;
/** What a browser sends for a page that goes away: 64 KiB in all, with some room for others. */
const MAX_LAST_BYTES = 48_000;

/** Sends chunks one after the other, each until it is accepted. */
export function createUploads({ key, url, onFailure }: UploadsOptions): Uploads {
  const transport = createTransport(key);
  const address = `${url}/v1/replay`;
  let waiting: Chunk[] = [];
  let isSending = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    try {
      for (let chunk = waiting[0]; chunk !== undefined; chunk = waiting[0]) {
        const wait = await post(chunk);
        if (wait !== undefined) {
          timer = setTimeout(() => void send(), wait);
          return;
        }
        remove([chunk]);
      }
    } finally {
      isSending = false;
    }
  }

  /** Undefined if it is done; otherwise how long to wait. */
  async function post(chunk: Chunk): Promise<number | undefined> {
    const response = await transport.post(address, chunk.body).catch(() => undefined);
    if (response === undefined) return backoffMs(failures++);
    const { ok, status } = response;
    if (status === 429 || status === 408 || status >= 500)
      return retryAfterMs(response) + backoffMs(failures++);
    failures = 0;
    if (!ok) fail(response.headers.get('X-Error') ?? `${status}`, status);
    return undefined;
  }

  function fail(message: string, status?: number): void {
    waiting = [];
    onFailure(message, status);
  }

  const remove = (chunks: readonly Chunk[]) => {
    waiting = waiting.filter((one) => !chunks.includes(one));
  };

  return {
    add(chunk) {
      waiting.push(chunk);
      if (waiting.reduce((sum, { body }) => sum + body.length, 0) > MAX_WAITING_LENGTH)
        return fail('More than 16 MB wait to be sent.');
      if (failures === 0) void send();
    },
    sendLast() {
      let left = MAX_LAST_BYTES;
      for (const chunk of waiting) {
        const bytes = chunk.body.length > left ? left : new Blob([chunk.body]).size;
        left -= bytes;
        if (left <= 0) break;
        const body = `{"api_key":${JSON.stringify(key)},${chunk.body.slice(1)}`;
        // The page may live on. Otherwise the next one sends the same bytes again, which is stored once.
        transport.postLast(address, body).then(
          ({ ok }) => void (ok && remove([chunk])),
          () => undefined,
        );
      }
      return waiting;
    },
    close() {
      clearTimeout(timer);
      waiting = [];
    },
  };
}
