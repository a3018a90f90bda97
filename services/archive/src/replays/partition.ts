import { isSameBatch, type RecordBatch, type StoredRecord } from '@switchboard/event-log';
import type { Logger, Metrics } from '@switchboard/runtime';
import { type Assembly, bytesInMemory, createAssembly, type OpenChunk, type Part } from './assembly.ts';
import type { Chunk } from './chunk.ts';
import { decodeChunk, InvalidRecord } from './decode.ts';
import type { Spill } from './spill.ts';
import type { ChunkStorage } from './storage.ts';
import type { ReplaysStore } from './store.ts';

/** The limit of bytes stored at once. */
const GROUP_BYTES = 8_000_000;
const GROUP_CHUNKS = 16;

interface PartitionOptions {
  store: Pick<ReplaysStore, 'isSettled'>;
  storage: ChunkStorage;
  /** Stores the parts of incomplete chunks while memory is short. */
  spill: Spill;
  /** Limits how much is decoded at once in this process. */
  limit<T>(work: () => Promise<T>): Promise<T>;
  logger: Logger;
  deadLetters: ReturnType<Metrics['counter']>;
  /** How long to wait for the missing parts of a chunk. */
  patienceMs: number;
  /** Whether the process holds more parts in memory than it may. */
  isOverfull(): boolean;
}

/** Archives one partition, from its assignment until its revocation. */
export function createReplayPartition(options: PartitionOptions) {
  const { store, storage, spill, limit, logger, deadLetters, patienceMs } = options;
  const assembly: Assembly = createAssembly();
  /** Complete chunks that are not stored yet, each as a list of parts. */
  let complete: Part[][] = [];
  let batch: RecordBatch | undefined;
  /**
   * The offset of the first record that has not been taken in. A failed batch is passed again and continues there.
   */
  let position = 0n;
  let committed: bigint | undefined;
  let turn: Promise<void> = Promise.resolve();

  /** Runs batches and sweeps one at a time. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const done = turn.then(work);
    turn = done.catch(() => undefined);
    return done;
  }

  async function take(current: RecordBatch): Promise<void> {
    if (batch === undefined) await spill.clear();
    begin(current);
    for (const record of current.records) {
      if (current.signal.aborted) break;
      if (record.offset < position) continue;
      await makeRoom();
      await add(current, record);
      // A retry continues after this record.
      position = record.offset + 1n;
      if (complete.length >= GROUP_CHUNKS || weight() >= GROUP_BYTES) await storeComplete(current);
    }
    await storeComplete(current);
    for (const chunk of assembly.open().filter((one) => isExpired(one, current))) {
      await giveUp(current, chunk, `missing after ${patienceMs / 1000} s`);
    }
    await commit(current);
  }

  /** Sets the start position. A retry of the same batch continues, and any other batch is taken in completely. */
  function begin(current: RecordBatch): void {
    const [first] = current.records;
    if (batch === undefined || !isSameBatch(batch, current)) {
      if (batch !== undefined && first !== undefined && first.offset < position) {
        const fields = { topic: current.topic, partition: current.partition };
        logger.error(
          { ...fields, from: String(position), to: String(first.offset) },
          'topic was recreated or truncated, resuming at an earlier offset',
        );
      }
      position = first?.offset ?? current.nextOffset;
    }
    batch = current;
  }

  async function add(current: RecordBatch, record: StoredRecord): Promise<void> {
    try {
      const parts = assembly.add(record, performance.now());
      if (parts !== undefined) complete.push(parts);
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
      await deadLetter(current, [record], error.message);
    }
  }

  const weight = () => complete.reduce((sum, parts) => sum + bytesOf(parts), 0);

  async function storeComplete(current: RecordBatch): Promise<void> {
    while (complete.length > 0 && !current.signal.aborted) await limit(() => storeGroup(current));
  }

  async function storeGroup(current: RecordBatch): Promise<void> {
    const group = new Map<Part[], Chunk>();
    let bytes = 0;
    for (const parts of complete.slice(0, GROUP_CHUNKS)) {
      bytes += bytesOf(parts);
      if (group.size > 0 && bytes > GROUP_BYTES) break;
      const records = await Promise.all(parts.map(readPart));
      try {
        group.set(parts, await decodeChunk(records));
      } catch (error) {
        if (!(error instanceof InvalidRecord)) throw error;
        await deadLetter(current, records, error.message);
        complete = complete.filter((one) => one !== parts);
        await removeSpilled(parts);
      }
    }
    await storage.store([...group.values()]);
    complete = complete.filter((one) => !group.has(one));
    await removeSpilled([...group.keys()].flat());
  }

  const readPart = async ({ record, isSpilled }: Part) => (isSpilled ? await spill.get(record) : record);

  async function removeSpilled(parts: Part[]): Promise<void> {
    for (const { record, isSpilled } of parts) if (isSpilled) await spill.remove(record);
  }

  /**
   * Whether a chunk has expired, by both the log's clock and the local clock: a stalled consumer reads late, and
   * publishers' clocks differ.
   */
  function isExpired({ readAt, publishedAt }: OpenChunk, { records }: RecordBatch): boolean {
    const newest = records.at(-1)?.timestamp ?? 0;
    return performance.now() - readAt >= patienceMs && newest - publishedAt >= patienceMs;
  }

  /** Spills the oldest incomplete chunks of this partition while the process holds too much. */
  async function makeRoom(): Promise<void> {
    if (!options.isOverfull()) return;
    for (const chunk of assembly.open()) {
      for (const part of chunk.parts) {
        if (part === undefined || part.isSpilled) continue;
        await spill.put(part.record);
        assembly.release(part);
      }
      if (!options.isOverfull()) return;
    }
  }

  async function giveUp(current: RecordBatch, chunk: OpenChunk, why: string): Promise<void> {
    const parts = chunk.parts.filter((part) => part !== undefined);
    // No data is lost if the chunk was archived from another upload, or its session was deleted.
    if (!(await isSettled(parts))) {
      const missing = chunk.parts.length - parts.length;
      const records = await Promise.all(parts.map(readPart));
      await deadLetter(current, records, `${missing} of ${chunk.parts.length} parts ${why}`);
    }
    assembly.drop(chunk);
    await removeSpilled(parts);
  }

  async function isSettled([part]: Part[]): Promise<boolean> {
    if (part === undefined) return true;
    const { project = '', session = '', seq = '', chunk = '' } = part.record.headers;
    if (!/^\d{1,16}$/.test(seq) || `${project}${session}`.includes('\0')) return false;
    const name = { projectId: project, sessionId: session, seq: Number(seq), hash: chunk };
    return await store.isSettled(name);
  }

  async function deadLetter(current: RecordBatch, records: StoredRecord[], reason: string): Promise<void> {
    const [first] = records;
    logger.warn({ topic: first?.topic, offset: String(first?.offset), reason }, 'dead-lettered replay chunk');
    for (const record of records) await current.deadLetter(record, reason);
    deadLetters.add();
  }

  /** Commits everything below the first record still held. */
  async function commit(current: RecordBatch): Promise<void> {
    const unread = current.records.find(({ offset }) => offset >= position);
    const held = [
      assembly.firstOffset(),
      unread?.offset,
      ...complete.flat().map(({ record }) => record.offset),
    ];
    const lowest = held.reduce<bigint>(
      (low, offset) => (offset !== undefined && offset < low ? offset : low),
      current.nextOffset,
    );
    if (lowest === committed) return;
    await current.commit(lowest);
    committed = lowest;
  }

  return {
    /**
     * Stores the chunks that the records complete, and commits. If it throws, the same records may be passed again.
     */
    add: (current: RecordBatch) => inTurn(() => take(current)),

    /**
     * Gives up expired chunks on a partition without traffic. `end` returns the offset of the partition's next
     * record, because unread records in the log may still complete a chunk.
     */
    sweep: (end: () => Promise<bigint | undefined>) =>
      inTurn(async () => {
        const current = batch;
        const old = assembly.open().filter(({ readAt }) => performance.now() - readAt >= patienceMs);
        if (current === undefined || current.signal.aborted || old.length === 0) return;
        if (current.records.some(({ offset }) => offset >= position)) return;
        if ((await end()) !== current.nextOffset) return;
        for (const chunk of old) await giveUp(current, chunk, `missing after ${patienceMs / 1000} s`);
        await commit(current);
      }),

    /** Keeps nothing to drop: a revoked partition is opened again. */
    drop: () => undefined,

    settled: () => turn,

    /** Bytes held in memory. */
    bytes: () => assembly.bytes() + complete.reduce((sum, parts) => sum + bytesInMemory(parts), 0),
  };
}

function bytesOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}
