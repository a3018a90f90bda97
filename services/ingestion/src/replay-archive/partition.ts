import type { Database } from '@switchboard/database';
import type { RecordBatch, StoredRecord } from '@switchboard/event-log';
import type { Logger, Metrics } from '@switchboard/service-kit';
import type { Archive } from './archive.ts';
import { type Assembly, createAssembly, type OpenChunk } from './assembly.ts';
import { type Chunk, readChunk, UnreadableRecord } from './chunk.ts';
import { isSettled } from './store.ts';

/** How much is stored at once. */
const GROUP_BYTES = 8_000_000;
const GROUP_CHUNKS = 16;

export interface PartitionOptions {
  database: Pick<Database, 'drizzle'>;
  archive: Archive;
  logger: Logger;
  deadLetters: ReturnType<Metrics['counter']>;
  /** How long the parts of a chunk that are missing are waited for. */
  patienceMs: number;
  /** Whether more parts are held than memory is meant for. */
  isOverfull(): boolean;
}

export type Partition = ReturnType<typeof createPartition>;

/** What is read of one partition, from being given it until it is taken away. */
export function createPartition(options: PartitionOptions) {
  const { database, archive, logger, deadLetters, patienceMs } = options;
  const assembly: Assembly = createAssembly();
  /** Complete and not stored yet, each as its parts. */
  let complete: StoredRecord[][] = [];
  let batch: RecordBatch | undefined;
  /** How many records of the batch are taken in. A batch that failed comes again, and goes on there. */
  let taken = 0;
  let committed: bigint | undefined;
  let turn: Promise<void> = Promise.resolve();

  /** One at a time: batches, and looks at what is held. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function take(current: RecordBatch): Promise<void> {
    if (batch !== current) {
      batch = current;
      taken = 0;
    }
    while (taken < current.records.length && !current.signal.aborted) {
      await makeRoom(current);
      const record = current.records[taken];
      if (record !== undefined) await add(current, record);
      // What fails from here on is repeated without it.
      taken++;
      if (weight() >= GROUP_BYTES) await storeGroup(current);
    }
    while (complete.length > 0 && !current.signal.aborted) await storeGroup(current);
    for (const chunk of assembly.open().filter((one) => isHopeless(one, current))) {
      await giveUp(current, chunk, `did not come within ${patienceMs / 1000} s`);
    }
    await commit(current);
  }

  async function add(current: RecordBatch, record: StoredRecord): Promise<void> {
    try {
      const parts = assembly.add(record, performance.now());
      if (parts !== undefined) complete.push(parts);
    } catch (error) {
      if (!(error instanceof UnreadableRecord)) throw error;
      await putAside(current, [record], error.message);
    }
  }

  const weight = () =>
    complete.length >= GROUP_CHUNKS ? GROUP_BYTES : complete.reduce((sum, parts) => sum + bytesOf(parts), 0);

  async function storeGroup(current: RecordBatch): Promise<void> {
    const group = new Map<StoredRecord[], Chunk>();
    for (const parts of complete.slice(0, GROUP_CHUNKS)) {
      try {
        group.set(parts, readChunk(parts));
      } catch (error) {
        if (!(error instanceof UnreadableRecord)) throw error;
        await putAside(current, parts, error.message);
        complete = complete.filter((one) => one !== parts);
      }
    }
    await archive.store([...group.values()]);
    complete = complete.filter((one) => !group.has(one));
  }

  /** By the log's time and by ours: a consumer that stood still reads late, and publishers' clocks differ. */
  function isHopeless({ readAt, publishedAt }: OpenChunk, { records }: RecordBatch): boolean {
    const newest = records.at(-1)?.timestamp ?? 0;
    return performance.now() - readAt >= patienceMs && newest - publishedAt >= patienceMs;
  }

  async function makeRoom(current: RecordBatch): Promise<void> {
    while (options.isOverfull()) {
      const [oldest] = assembly.open();
      if (oldest === undefined) return;
      await giveUp(current, oldest, 'did not come before memory for incomplete chunks was used up');
    }
  }

  async function giveUp(current: RecordBatch, chunk: OpenChunk, why: string): Promise<void> {
    const parts = chunk.parts.filter((part) => part !== undefined);
    // What is left over of a chunk that was sent twice, or was deleted, is nobody's loss.
    if (!(await isLeftOver(parts))) {
      const missing = chunk.parts.length - parts.length;
      await putAside(current, parts, `${missing} of ${chunk.parts.length} parts ${why}`);
    }
    assembly.drop(chunk);
  }

  async function isLeftOver([part]: StoredRecord[]): Promise<boolean> {
    if (part === undefined) return true;
    const { project = '', session = '', seq = '', chunk = '' } = part.headers;
    if (!/^\d{1,16}$/.test(seq) || `${project}${session}`.includes('\0')) return false;
    const name = { projectId: project, sessionId: session, seq: Number(seq), hash: chunk };
    return await isSettled(database.drizzle, name);
  }

  async function putAside(current: RecordBatch, records: StoredRecord[], reason: string): Promise<void> {
    const [first] = records;
    logger.warn({ topic: first?.topic, offset: String(first?.offset), reason }, 'replay chunk not archived');
    for (const record of records) await current.deadLetter(record, reason);
    deadLetters.add();
  }

  /** Everything below the first record that is still held is done. */
  async function commit(current: RecordBatch): Promise<void> {
    const held = [assembly.firstOffset(), current.records[taken]?.offset, ...complete.flat().map(offsetOf)];
    const position = held.reduce<bigint>(
      (lowest, offset) => (offset !== undefined && offset < lowest ? offset : lowest),
      current.nextOffset,
    );
    if (position === committed) return;
    await current.commit(position);
    committed = position;
  }

  return {
    /** Stores what the records complete, and commits. When it throws, the same batch may be handed over again. */
    handle: (current: RecordBatch) => inTurn(() => take(current)),

    /**
     * Gives up chunks that nothing comes for any more, on a partition without traffic: `end` tells the offset that
     * its next record will get, since what is in the log already is still to come.
     */
    lookAfter: (end: () => Promise<bigint | undefined>) =>
      inTurn(async () => {
        const current = batch;
        const old = assembly.open().filter(({ readAt }) => performance.now() - readAt >= patienceMs);
        if (current === undefined || current.signal.aborted || old.length === 0) return;
        if (taken < current.records.length || (await end()) !== current.nextOffset) return;
        for (const chunk of old) await giveUp(current, chunk, `did not come within ${patienceMs / 1000} s`);
        await commit(current);
      }),

    /** Whether these records were read before by this very reader. */
    hasPassed: (next: RecordBatch) =>
      batch !== undefined && batch !== next && (next.records[0]?.offset ?? 0n) < batch.nextOffset,

    bytes: () => assembly.bytes(),
  };
}

const offsetOf = ({ offset }: StoredRecord) => offset;

function bytesOf(parts: readonly StoredRecord[]): number {
  return parts.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
}
