import type { Item, Kind } from './item.ts';
import type { Queue } from './queue.ts';
import { backoffMs, retryAfterMs, type Transport } from './transport.ts';
import type { SwitchboardError } from './types.ts';

interface SenderOptions {
  url: string;
  flushMs: number;
  queue: Queue;
  transport: Transport;
  report(error: SwitchboardError): void;
}

export interface Sender {
  /** Called when something was queued. */
  queued(kind: Kind): void;
  /** Sends the queued items. Resolves when they are sent or have to wait. */
  flush(): Promise<void>;
  /** Returns the newest state token of each kind of call, for up to a minute. */
  tokens(): string[];
  close(): void;
}

const PATHS: Record<Kind, string> = { event: '/v1/events', identify: '/v1/identify', group: '/v1/group' };
/** The server deduplicates events within seven days. */
const MAX_AGE_MS = 7 * 86_400_000;
const FULL_BATCH = 500;
const REFUSED_RETRY_MS = 300_000;
const TOKEN_MS = 60_000;

export function createSender({ url, flushMs, queue, transport, report }: SenderOptions): Sender {
  const tokens = new Map<Kind, { token: string; until: number }>();
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  /** The earliest time of the next request, on the clock of `performance.now`. */
  let waitUntil = 0;
  let failures = 0;
  let isRefused = false;
  let isClosed = false;
  let running: Promise<void> | undefined;

  function schedule(ms: number): void {
    const at = performance.now() + ms;
    if (isClosed || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => {
      // Also while a request is running, or nothing would be scheduled after it.
      dueAt = Number.POSITIVE_INFINITY;
      void flush();
    }, ms);
    // The queue is stored in a file, so the timer does not need to keep the process running.
    timer.unref();
  }

  function flush(): Promise<void> {
    running ??= drain()
      .catch((error: unknown) => {
        report({ code: 'internal', message: String(error) });
        wait(backoffMs(failures++));
      })
      .finally(() => {
        running = undefined;
      });
    return running;
  }

  async function drain(): Promise<void> {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    while (!isClosed) {
      const left = waitUntil - performance.now();
      if (left > 0) return schedule(left);
      const batch = queue.next();
      if (batch.length === 0) return;
      const old = batch.filter(({ at }) => at < Date.now() - MAX_AGE_MS);
      for (const item of old) await drop(item, 'expired', 'Not accepted within seven days.');
      if (old.length === 0 && !(await send(batch))) return;
    }
  }

  function wait(ms: number): void {
    waitUntil = performance.now() + ms;
    schedule(ms);
  }

  /** Sends items. Returns whether to continue. */
  async function send(items: readonly Item[]): Promise<boolean> {
    const [first] = items;
    if (first === undefined) return true;
    let response: Response;
    let text: string;
    try {
      response = await transport.post(url + PATHS[first.kind], bodyOf(first, items));
      text = await response.text();
    } catch {
      wait(backoffMs(failures++));
      return false;
    }
    const { status } = response;
    if (response.ok) {
      failures = 0;
      isRefused = false;
      keepToken(first.kind, response.headers.get('X-State-Token'));
      await queue.remove(items);
      return true;
    }
    if (status === 400 || status === 413) {
      const message = messageOf(text, status);
      const named = /^events\[(\d+)\]/.exec(message)?.[1];
      const bad = items.length === 1 ? first : named === undefined ? undefined : items[Number(named)];
      if (bad !== undefined) {
        await drop(bad, 'rejected', message, status);
        return send(items.filter((item) => item !== bad));
      }
      const half = items.length >> 1;
      return (await send(items.slice(0, half))) && send(items.slice(half));
    }
    if (status === 429 || status === 408 || status >= 500) {
      // Spreads the requests of many clients.
      wait(retryAfterMs(response) + backoffMs(failures++));
      return false;
    }
    if (!isRefused) report({ code: 'unauthorized', message: messageOf(text, status), status });
    isRefused = true;
    wait(REFUSED_RETRY_MS);
    return false;
  }

  function keepToken(kind: Kind, token: string | null): void {
    if (token !== null) tokens.set(kind, { token, until: performance.now() + TOKEN_MS });
  }

  async function drop(item: Item, code: 'expired' | 'rejected', message: string, status?: number) {
    await queue.remove([item]);
    report({ code, message, eventId: item.id, ...(status === undefined ? {} : { status }) });
  }

  return {
    flush,
    queued(kind) {
      const isFull = kind !== 'event' || queue.count() >= FULL_BATCH;
      schedule(Math.max(isFull ? 0 : flushMs, waitUntil - performance.now()));
    },
    tokens: () =>
      [...tokens.values()].filter(({ until }) => until > performance.now()).map(({ token }) => token),
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

function bodyOf(first: Item, items: readonly Item[]): string {
  if (first.kind !== 'event') return first.body;
  // Uses the clock that set the timestamps, because the server corrects both.
  return `{"sent_at":"${new Date().toISOString()}","events":[${items.map(({ body }) => body).join(',')}]}`;
}

function messageOf(text: string, status: number): string {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  } catch {
    // The response is not from Switchboard.
  }
  return `The server answered ${status}.`;
}
