import { backoffMs, bytesOf, retryAfterMs, type Transport } from '@switchboard/browser/transport';

/** An upload in the server's format, without its key. */
export interface Chunk {
  session: string;
  seq: number;
  /** The JSON of an object. */
  body: string;
}

export interface Uploads {
  add(chunk: Chunk): void;
  /** Sends the data that fits while the page is closing. Returns the chunks that may not be received. */
  sendLast(): Chunk[];
  close(): void;
}

interface UploadsOptions {
  key: string;
  url: string;
  transport: Transport;
  /** Called when the recording cannot continue: the server rejects it, or too much data is waiting. */
  onFailure(message: string, status?: number): void;
}

const MAX_WAITING_LENGTH = 16_000_000;

/** Creates a queue that sends chunks in sequence, each until it is accepted. */
export function createUploads({ key, url, transport, onFailure }: UploadsOptions): Uploads {
  const address = `${url}/v1/replay`;
  let waiting: Chunk[] = [];
  /** The chunks that sendLast sent and that have no response yet. */
  const leaving = new Set<Chunk>();
  let isSending = false;
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;

  async function send(): Promise<void> {
    if (isSending) return;
    isSending = true;
    // Runs after sendLast, if the page is closing at this moment.
    await undefined;
    const next = () => waiting.find((chunk) => !leaving.has(chunk));
    try {
      for (let chunk = next(); chunk !== undefined; chunk = next()) {
        const wait = await post(chunk);
        if (wait !== undefined) {
          timer = setTimeout(() => void send(), wait);
          return;
        }
        remove(chunk);
      }
    } finally {
      isSending = false;
    }
  }

  /** Posts a chunk. Returns undefined if it is done, or else how long to wait. */
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

  /**
   * Sends a chunk of a page that may stay open. Otherwise the next page sends the same bytes again, which are
   * stored once.
   */
  async function leave(chunk: Chunk, body: string): Promise<void> {
    leaving.add(chunk);
    const response = await transport.postLast(address, body).catch(() => undefined);
    leaving.delete(chunk);
    if (response?.ok) remove(chunk);
    else if (failures === 0) void send();
  }

  function fail(message: string, status?: number): void {
    waiting = [];
    onFailure(message, status);
  }

  const remove = (chunk: Chunk) => {
    waiting = waiting.filter((one) => one !== chunk);
  };

  return {
    add(chunk) {
      waiting.push(chunk);
      if (waiting.reduce((sum, { body }) => sum + body.length, 0) > MAX_WAITING_LENGTH)
        return fail('More than 16 MB are waiting to be sent.');
      if (failures === 0) void send();
    },
    sendLast() {
      for (const chunk of waiting) {
        if (leaving.has(chunk)) continue;
        const body = `{"api_key":${JSON.stringify(key)},${chunk.body.slice(1)}`;
        if (body.length > transport.room() || bytesOf(body) > transport.room()) break;
        void leave(chunk, body);
      }
      return waiting;
    },
    close() {
      clearTimeout(timer);
      waiting = [];
    },
  };
}
