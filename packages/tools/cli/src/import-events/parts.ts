import { hash } from 'node:crypto';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import { IMPORT_PART_MAX_BYTES, IMPORT_PART_MAX_EVENTS, type ImportSource } from '@switchboard/contracts';
import { type Client, ManagementError } from '@switchboard/management';
import { z } from 'zod';

interface PartsOptions {
  client: Client;
  projectId: string;
  importId: string;
  source: ImportSource;
  name: string;
  dryRun: boolean;
  onImported(counts: { events: number; isNew: boolean }): void;
}

/** Sends the events of a file in parts, several at a time. */
export interface Parts {
  /** Adds an event as JSON. Waits while too many parts are being sent. */
  add(json: string): Promise<void> | undefined;
  /** Sends the rest, and marks the import as complete. */
  finish(): Promise<void>;
}

const PARTS_AT_ONCE = 3;
const TIMEOUT_MS = 120_000;
const imported = z.object({ events: z.int(), isNew: z.boolean() });
const compress = promisify(gzip);
const QUICKLY = { level: constants.Z_BEST_SPEED };

/**
 * Opens the import of a file, which continues after the parts that it has. The last of them is sent again, so that a
 * file that is read in another way than before fails.
 */
export async function openParts(options: PartsOptions): Promise<Parts> {
  const { client, projectId, importId, source, name, dryRun, onImported } = options;
  const params = { projectId, importId };
  const put = (totalParts: number | null) =>
    client.call('putImport', { params, body: { source, name: shown(name), totalParts } });
  const { nextPart } = dryRun ? await find() : await put(null);
  let [part, lines, bytes] = [0, [] as string[], 0];
  const sending = new Set<Promise<void>>();
  const failed = new AbortController();

  async function find(): Promise<{ nextPart: number }> {
    try {
      return await client.call('getImport', { params });
    } catch (error) {
      if (error instanceof ManagementError && error.message.includes('Import not found'))
        return { nextPart: 0 };
      throw error;
    }
  }

  function flush(): Promise<void> | undefined {
    failed.signal.throwIfAborted();
    if (lines.length === 0) return undefined;
    const [number, events, body] = [part++, lines.length, Buffer.from(lines.join('\n'))];
    [lines, bytes] = [[], 0];
    if (dryRun || number < nextPart - 1) {
      onImported({ events, isNew: number >= nextPart });
      return undefined;
    }
    const sent = send(number, body).then(
      () => void sending.delete(sent),
      (error: unknown) => failed.abort(error),
    );
    sending.add(sent);
    return sending.size < PARTS_AT_ONCE ? undefined : Promise.race(sending);
  }

  async function send(number: number, body: Buffer): Promise<void> {
    const answer = await client.untyped.call(
      'putImportPart',
      {
        params: { ...params, part: String(number) },
        query: { sha256: hash('sha256', body, 'hex') },
        headers: { 'Content-Encoding': 'gzip' },
        body: await compress(body, QUICKLY),
      },
      { timeoutMs: TIMEOUT_MS },
    );
    onImported(imported.parse(answer));
  }

  return {
    add(json) {
      const size = Buffer.byteLength(json) + 1;
      const isFull = lines.length === IMPORT_PART_MAX_EVENTS || bytes + size > IMPORT_PART_MAX_BYTES;
      const flushed = isFull ? flush() : undefined;
      lines.push(json);
      bytes += size;
      return flushed;
    },
    async finish() {
      await flush();
      await Promise.all(sending);
      failed.signal.throwIfAborted();
      if (!dryRun && part > 0) await put(part);
    },
  };
}

/** Returns a name that the API accepts. */
const shown = (name: string) =>
  [...name.replaceAll(/[\p{Cc}\p{Cf}]/gu, '?')].slice(-200).join('').trim() || 'unnamed';
