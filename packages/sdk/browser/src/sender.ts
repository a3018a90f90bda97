import type { Item, Kind, Queue, Row } from './queue.ts';
import { backoffMs, bytesOf, retryAfterMs, type Transport } from './transport.ts';
import type { SwitchboardError } from './types.ts';

const PATHS: Record<Kind, string> = { event: '/v1/events', identify: '/v1/identify', group: '/v1/group' };
/** The server deduplicates events within seven days. */
const MAX_AGE_MS = 7 * 86_400_000;
/** The number of events that are sent without waiting. */
const FULL_BATCH = 100;
/** The maximum size of a leaving page's request without its items. */
const ENVELOPE_BYTES = 150;

interface SenderOptions {
  key: string;
  url: string;
  flushMs: number;
  queue: Queue;
  transport: Transport;
  report(error: SwitchboardError): void;
  /** Called after an identify or group call was accepted. */
  onStateChange(): void;
}

export interface Sender {
  /** Queues an item. Resolves to whether it is queued. */
  add(item: Item): Promise<boolean>;
  /** Sends the queued items. Resolves when they are sent or have to wait. */
  flush(): Promise<void>;
  /** Returns whether this tab has calls that may not have been sent yet. */
  hasCalls(): boolean;
  /** Sends the unsent items of a page that may close. Returns the items that are not stored yet. */
  sendLast(): Item[];
  /** Sends at once when the network is back. */
  retryNow(): void;
  clear(): void;
  close(): void;
}

interface Entry {
  item: Item;
  /** The position in the queue, once the item is stored. */
  seq?: number;
  /** Whether sendLast sent it and there is no response yet. */
  isLeaving: boolean;
}

export function createSender(options: SenderOptions): Sender {
  const { key, url, flushMs, queue, transport, report, onStateChange } = options;
  /** The items that this tab queued and that may not have been sent yet, by id. */
  const unsent = new Map<string, Entry>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let failures = 0;
  /** The time until which the server asked to wait, by `performance.now()`. */
  let retryAt = 0;
  let isStopped = false;
  let running: Promise<void> | undefined;
  let again = false;

  function schedule(ms: number): void {
    const at = performance.now() + ms;
    if (isStopped || at >= dueAt) return;
    clearTimeout(timer);
    dueAt = at;
    timer = setTimeout(() => void flush(), ms);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    if (isStopped) return Promise.resolve();
    if (running !== undefined) {
      again = true;
      return running;
    }
    running = run().finally(() => {
      running = undefined;
    });
    return running;
  }

  async function run(): Promise<void> {
    do {
      again = false;
      try {
        // Only one tab sends at a time. Without a lock, which requires https or localhost, two may send the same ids.
        await (navigator.locks?.request(`switchboard:${key}`, drain).catch(drain) ?? drain());
      } catch (error) {
        report({ code: 'internal', message: String(error) });
        schedule(backoffMs(failures++));
      }
    } while (again && dueAt === Number.POSITIVE_INFINITY && !isStopped);
  }

  async function drain(): Promise<void> {
    const { retryAt: noted = 0, retryMs = 0 } = await queue.notes();
    const wait = noted - Date.now();
    // After a clock was set back, the wait must not exceed what the server asked for.
    if (wait > 0 && wait <= retryMs) return schedule(wait);
    for (;;) {
      const known = [...unsent].filter(([, { seq }]) => seq !== undefined);
      const rows = await queue.take();
      if (rows.length === 0) {
        for (const [id] of known) unsent.delete(id);
        failures = 0;
        return;
      }
      const old = rows.filter(({ item }) => item.at < Date.now() - MAX_AGE_MS);
      for (const row of old) await drop(row, 'expired', 'Not accepted within seven days.');
      if (old.length > 0) continue;
      const events = rows.filter(({ item }) => item.kind === 'event');
      // Sends calls first, because flags wait for them.
      for (const row of rows) {
        if (row.item.kind !== 'event' && !(await send([row], row.item.kind))) return;
      }
      if (events.length > 0 && !(await send(events, 'event'))) return;
    }
  }

  /** Sends rows. Returns whether to continue. */
  async function send(rows: readonly Row[], kind: Kind): Promise<boolean> {
    const [first] = rows;
    if (first === undefined) return true;
    let response: Response;
    try {
      response = await transport.post(url + PATHS[kind], bodyOf(rows.map(({ item }) => item)));
    } catch {
      schedule(backoffMs(failures++));
      return false;
    }
    const { status } = response;
    if (response.ok) {
      await sent(rows, kind, response.headers.get('X-State-Token'));
      failures = 0;
      return true;
    }
    if (status === 400 || status === 413) {
      const message = await messageOf(response);
      const bad = rows.length === 1 ? first : rows[Number(/^events\[(\d+)\]/.exec(message)?.[1] ?? -1)];
      if (bad !== undefined) {
        await drop(bad, 'rejected', message, status);
        return send(
          rows.filter((row) => row !== bad),
          kind,
        );
      }
      const half = rows.length >> 1;
      return (await send(rows.slice(0, half), kind)) && send(rows.slice(half), kind);
    }
    if (status === 429 || status === 408 || status >= 500) {
      const wait = retryAfterMs(response);
      if (wait > 0) {
        retryAt = performance.now() + wait;
        await queue.note({ retryAt: Date.now() + wait, retryMs: wait });
      }
      // Spreads the requests of many clients.
      schedule(wait + backoffMs(failures++));
      return false;
    }
    isStopped = true;
    report({ code: 'unauthorized', message: await messageOf(response), status });
    return false;
  }

  /**
   * Sends entries of a page that may close. If the page stays, it receives the response. Otherwise the entries are
   * sent again with the same ids.
   */
  async function leave(entries: readonly Entry[], kind: Kind, body: string): Promise<void> {
    try {
      const response = await transport.postLast(url + PATHS[kind], body);
      const rows = entries.flatMap(({ item, seq }) => (seq === undefined ? [] : [{ item, seq }]));
      if (response.ok) return await sent(rows, kind, response.headers.get('X-State-Token'));
    } catch {
      // Handled as if there were no response.
    }
    for (const entry of entries) entry.isLeaving = false;
  }

  async function sent(rows: readonly Row[], kind: Kind, token: string | null): Promise<void> {
    const tokens = token === null ? undefined : { ...(await queue.notes()).tokens, [kind]: token };
    await queue.remove(rows, tokens && { tokens, tokensAt: Date.now() });
    for (const { item } of rows) unsent.delete(item.id);
    if (kind !== 'event') onStateChange();
  }

  async function drop(row: Row, code: SwitchboardError['code'], message: string, status?: number) {
    await queue.remove([row]);
    unsent.delete(row.item.id);
    report({ code, message, eventId: row.item.id, ...(status !== undefined && { status }) });
  }

  const bodyOf = (items: readonly Item[], isLast = false) => {
    const [first] = items;
    const fields = isLast ? `"api_key":${JSON.stringify(key)},` : '';
    if (first !== undefined && first.kind !== 'event') return `{${fields}${first.body.slice(1)}`;
    // Uses the clock that set the timestamps, because the server corrects both.
    return `{${fields}"sent_at":"${new Date().toISOString()}","events":[${items.map(({ body }) => body)}]}`;
  };

  return {
    flush,
    async add(item) {
      const entry: Entry = { item, isLeaving: false };
      unsent.set(item.id, entry);
      const seq = await queue.add(item);
      if (seq === undefined) {
        unsent.delete(item.id);
        report({ code: 'full', message: 'The queue is full.', eventId: item.id });
        return false;
      }
      entry.seq = seq;
      // Sends calls at once, because flags wait for them.
      if (failures === 0) schedule(item.kind !== 'event' || unsent.size >= FULL_BATCH ? 0 : flushMs);
      else schedule(backoffMs(failures));
      return true;
    },
    hasCalls: () => [...unsent.values()].some(({ item }) => item.kind !== 'event'),
    sendLast() {
      const entries = [...unsent.values()].filter(({ isLeaving }) => !isLeaving);
      const unstored = entries.filter(({ seq }) => seq === undefined).map(({ item }) => item);
      if (isStopped || performance.now() < retryAt) return unstored;
      const isEvent = ({ item }: { item: Item }) => item.kind === 'event';
      let left = transport.room() - ENVELOPE_BYTES;
      const chosen = entries.filter((entry) => {
        if (left > 0) left -= bytesOf(entry.item.body) + (isEvent(entry) ? 1 : ENVELOPE_BYTES);
        return left >= 0;
      });
      const calls = chosen.filter((entry) => !isEvent(entry)).map((entry) => [entry]);
      for (const group of [chosen.filter(isEvent), ...calls]) {
        const [first] = group;
        if (first === undefined) continue;
        const kind = first.item.kind;
        for (const entry of group) entry.isLeaving = true;
        const body = bodyOf(
          group.map(({ item }) => item),
          true,
        );
        void leave(group, kind, body);
      }
      return unstored;
    },
    retryNow() {
      failures = 0;
      schedule(0);
    },
    clear() {
      unsent.clear();
      clearTimeout(timer);
      dueAt = Number.POSITIVE_INFINITY;
    },
    close() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

async function messageOf(response: Response): Promise<string> {
  try {
    const body: unknown = await response.json();
    if (typeof body === 'object' && body !== null && 'message' in body) return String(body.message);
  } catch {
    // The response is not from Switchboard.
  }
  return `${response.status}`;
}
