import { randomUUID } from 'node:crypto';
import { createFlags } from './flags.ts';
import type { Item, Kind } from './item.ts';
import { openQueue, type Queue } from './queue.ts';
import { createSender, type Sender } from './sender.ts';
import { createTransport } from './transport.ts';
import type { CallOptions, Client, Options, SwitchboardError } from './types.ts';

const FOLDER = '.switchboard-queue';
const MAX_BYTES = 16 * 1024 * 1024;
const FLUSH_MS = 1_000;
const CLOSE_MS = 5_000;
/** The server takes bodies of 256 KiB for calls; larger events would be most of a batch. */
const MAX_ITEM_BYTES = 200_000;

interface Running {
  queue: Queue;
  sender: Sender;
}

/** A client for servers. Use one for the life of the process. Nothing it does throws or rejects. */
export function createClient(options: Options): Client {
  const { key, onError, flushMs = FLUSH_MS, maxBytes = MAX_BYTES, schemaVersion = 1 } = options;
  const host = withoutSlash(options.host);
  const url = withoutSlash(options.eventsHost ?? options.host);
  const closing = new AbortController();
  const transport = createTransport(key, closing.signal);
  let isClosed = false;
  let hasStorageFailed = false;

  function report(error: SwitchboardError): void {
    try {
      onError?.(error);
    } catch {
      // Of the application; it must not stop the sending.
    }
  }

  const starting: Promise<Running> = openQueue({
    folder: options.folder ?? FOLDER,
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

  async function add(kind: Kind, id: string, call: object): Promise<string | undefined> {
    try {
      const body = JSON.stringify(call);
      const invalid = isClosed
        ? 'The client is closed.'
        : Buffer.byteLength(body) > MAX_ITEM_BYTES
          ? `Larger than ${MAX_ITEM_BYTES} bytes.`
          : undefined;
      if (invalid !== undefined) {
        report({ code: 'invalid', message: invalid, eventId: id });
        return undefined;
      }
      const item: Item = { kind, id, body, at: Date.now() };
      const { queue, sender } = await starting;
      if (!(await queue.add(item))) {
        report({ code: 'full', message: 'The queue is full.', eventId: id });
        return undefined;
      }
      sender.queued(kind);
      return id;
    } catch (error) {
      // Such as properties that JSON cannot hold.
      report({ code: 'invalid', message: String(error), eventId: id });
      return undefined;
    }
  }

  const common = ({ eventId = randomUUID(), timestamp = new Date() }: CallOptions) => ({
    event_id: eventId,
    // An invalid date is for the server to refuse.
    timestamp: Number.isNaN(timestamp.getTime()) ? String(timestamp) : timestamp.toISOString(),
  });

  const flags = createFlags({
    host,
    key,
    transport,
    async settle() {
      const { sender } = await starting;
      await sender.flush();
      return sender.tokens();
    },
  });

  return {
    flags,
    async track(distinctId, name, properties, given = {}) {
      const fields = common(given);
      return add('event', fields.event_id, {
        ...fields,
        distinct_id: distinctId,
        event_name: name,
        schema_version: schemaVersion,
        ...(given.sessionId === undefined ? {} : { session_id: given.sessionId }),
        ...(properties === undefined ? {} : { properties }),
      });
    },
    async identify(distinctId, traits = {}, given = {}) {
      const fields = common(given);
      return add('identify', fields.event_id, { ...fields, distinct_id: distinctId, properties: traits });
    },
    async group(distinctId, groupId, traits = {}, given = {}) {
      const fields = common(given);
      const properties = { ...traits, group_id: groupId, group_type: given.type ?? 'company' };
      return add('group', fields.event_id, { ...fields, distinct_id: distinctId, properties });
    },
    async flush() {
      const { sender } = await starting;
      await sender.flush();
    },
    async close(timeoutMs = CLOSE_MS) {
      isClosed = true;
      flags.close();
      const { queue, sender } = await starting;
      const timer = setTimeout(() => closing.abort(), timeoutMs);
      await sender.flush();
      clearTimeout(timer);
      sender.close();
      closing.abort();
      await queue.close();
    },
  };
}

const withoutSlash = (address: string) => address.replace(/\/+$/, '');
