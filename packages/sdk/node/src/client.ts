import { randomUUID } from 'node:crypto';
import { createFlags } from './flags.ts';
import type { Item, Kind } from './item.ts';
import { openQueue, type Queue } from './queue.ts';
import { createSender, type Sender } from './sender.ts';
import { timeOf } from './time.ts';
import { createTransport } from './transport.ts';
import type { CallOptions, Client, Options, SwitchboardError } from './types.ts';

const FOLDER = '.switchboard-queue';
const MAX_BYTES = 16 * 1024 * 1024;
const FLUSH_MS = 1_000;
const CLOSE_MS = 5_000;
/** The server accepts bodies of 256 KiB for calls. Larger events would take most of a batch. */
const MAX_ITEM_BYTES = 200_000;

interface Running {
  queue: Queue;
  sender: Sender;
}

/**
 * Creates a client for servers. Use one for the life of the process. Its methods never throw or reject. With unusable
 * options, `onError` is called and no call is queued.
 */
export function createClient(options: Options): Client {
  const given: Partial<Options> = options ?? {};
  const misconfigured = problemOf(given);
  const { key = '', onError, flushMs = FLUSH_MS, maxBytes = MAX_BYTES, schemaVersion = 1 } = given;
  const host = withoutSlash(given.host);
  const url = withoutSlash(given.eventsHost ?? given.host);
  const closing = new AbortController();
  const transport = createTransport(key, closing.signal);
  let isClosed = false;
  let hasStorageFailed = false;

  function report(error: SwitchboardError): void {
    try {
      onError?.(error);
    } catch {
      // An error in the application's own code, which must not stop the sending.
    }
  }

  const starting: Promise<Running> = openQueue({
    folder: misconfigured === undefined ? (given.folder ?? FOLDER) : false,
    maxBytes,
    onStorageError(error) {
      if (!hasStorageFailed) report({ code: 'storage', message: String(error) });
      hasStorageFailed = true;
    },
  }).then((queue) => {
    const sender = createSender({ url, flushMs, queue, transport, report });
    if (queue.count() > 0) sender.queued('event');
    return { queue, sender };
  });

  /** Queues a call. `fields` are those that this kind of call has besides its id and time. */
  async function add(
    kind: Kind,
    call: CallOptions | null | undefined,
    fields: () => object,
  ): Promise<string | undefined> {
    const id = call?.eventId ?? randomUUID();
    const invalid = (message: string) => {
      report({ code: 'invalid', message, ...(typeof id === 'string' ? { eventId: id } : {}) });
      return undefined;
    };
    try {
      if (isClosed) return invalid('The client is closed.');
      if (misconfigured !== undefined) return invalid(misconfigured);
      if (typeof id !== 'string') return invalid('eventId: not a string');
      const timestamp = timeOf(call?.timestamp ?? new Date());
      if (timestamp === undefined)
        return invalid('timestamp: not a Date, an ISO 8601 string or milliseconds since 1970');
      const body = JSON.stringify({ event_id: id, timestamp, ...fields() });
      if (Buffer.byteLength(body) > MAX_ITEM_BYTES) return invalid(`Larger than ${MAX_ITEM_BYTES} bytes.`);
      const item: Item = { kind, id, body, at: Date.now() };
      const { queue, sender } = await starting;
      if (!(await queue.add(item))) {
        report({ code: 'full', message: 'The queue is full.', eventId: id });
        return undefined;
      }
      sender.queued(kind);
      return id;
    } catch (error) {
      // For example, properties that JSON cannot represent.
      return invalid(String(error));
    }
  }

  if (misconfigured !== undefined) report({ code: 'invalid', message: misconfigured });

  const flags = createFlags({
    host,
    key,
    transport,
    reportsUsage: given.usage ?? true,
    async settle() {
      const { sender } = await starting;
      await sender.flush();
      return sender.tokens();
    },
  });

  return {
    flags,
    track: (distinctId, name, properties, call) =>
      add('event', call, () => ({
        distinct_id: distinctId,
        event_name: name,
        schema_version: schemaVersion,
        session_id: call?.sessionId ?? undefined,
        properties: properties ?? undefined,
      })),
    identify: (distinctId, traits, call) =>
      add('identify', call, () => ({
        distinct_id: distinctId,
        properties: {
          ...traits,
          ...((call?.anonymousId ?? undefined) !== undefined && { anonymous_id: call?.anonymousId }),
        },
      })),
    group: (distinctId, groupId, traits, call) =>
      add('group', call, () => ({
        distinct_id: distinctId,
        properties: { ...traits, group_id: groupId, group_type: call?.type ?? 'company' },
      })),
    async flush() {
      const { sender } = await starting;
      await sender.flush();
    },
    async close(timeoutMs = CLOSE_MS) {
      isClosed = true;
      flags.close();
      const { queue, sender } = await starting;
      const timer = setTimeout(() => closing.abort(), timeoutMs);
      await Promise.all([sender.flush(), flags.sendUsage()]);
      clearTimeout(timer);
      sender.close();
      closing.abort();
      await queue.close();
    },
  };
}

const withoutSlash = (address: unknown) => (typeof address === 'string' ? address.replace(/\/+$/, '') : '');

/** Returns why options are unusable, such as an environment variable that is not set. */
function problemOf({ key, host, eventsHost = host, folder }: Partial<Options>): string | undefined {
  if (typeof key !== 'string' || key === '') return 'key: set it to the project key';
  for (const [name, address] of Object.entries({ host, eventsHost })) {
    if (!isAddress(address)) return `${name}: not an http or https address`;
  }
  const isFolder = folder === undefined || folder === false || typeof folder === 'string';
  return isFolder ? undefined : 'folder: not a path or false';
}

function isAddress(address: unknown): boolean {
  return typeof address === 'string' && /^https?:\/\//i.test(address) && URL.canParse(address);
}
