import {
  createPartitionBuffer,
  type PartitionWorker,
  type RecordBatch,
  type StoredRecord,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';
import type { Block, ClickhouseSinkStore } from './store.ts';

/** When received events are inserted. */
export interface SinkSettings {
  /**
   * Bytes of JSON per partition at which a block is inserted. An event has at least a hundred, so this bounds rows
   * too.
   */
  blockBytes: number;
  /** The longest wait of the first event of a block, in milliseconds. */
  blockAgeMs: number;
  /** Bytes of JSON of all partitions of this process past which blocks are inserted early. */
  bufferBytes: number;
}

/** ClickHouse prefers few large blocks, and events appear within seconds. The buffer holds the JSON of four blocks. */
export const SINK_SETTINGS: SinkSettings = {
  blockBytes: 8_388_608,
  blockAgeMs: 2_000,
  bufferBytes: 33_554_432,
};

interface PartitionOptions {
  partition: number;
  blocks: ClickhouseSinkStore;
  /** Inserts a block. Records inserted by an earlier attempt are not inserted again. */
  insert(
    block: Block,
    records: readonly StoredRecord[],
    batch: RecordBatch,
    signal: AbortSignal,
  ): Promise<void>;
  settings: SinkSettings;
  /** Bytes held in memory by all partitions of this process. */
  held: { bytes: number };
  logger: Logger;
}

/**
 * Inserts one partition: fixes the end of a block, inserts it and commits, in this order. Any step may be repeated.
 */
export function createSinkPartition(options: PartitionOptions): PartitionWorker {
  const { partition, blocks, insert, settings, held, logger } = options;
  const { blockBytes, blockAgeMs, bufferBytes } = settings;
  const buffer = createPartitionBuffer({
    topic: 'events',
    partition,
    limits: { bytes: blockBytes, ageMs: blockAgeMs, bufferBytes },
    held,
    task: 'insert into ClickHouse',
    write: insertDue,
    onDropped() {
      records = [];
    },
    logger,
  });
  const { signal } = buffer;
  let records: StoredRecord[] = [];
  let latest: RecordBatch | undefined;
  /** The offset of the first record that is not held. */
  let position = 0n;
  async function addNow(batch: RecordBatch): Promise<void> {
    latest = batch;
    const more = batch.records.filter(({ offset }) => offset >= position);
    if (records.length === 0) buffer.startAge();
    records.push(...more);
    buffer.count(sizeOf(more));
    position = batch.nextOffset;
    await insertDue();
  }

  async function insertDue(): Promise<void> {
    while (!signal.aborted) {
      const [first] = records;
      if (first === undefined || latest === undefined) return;
      const start = { partition, firstOffset: first.offset, firstAt: first.timestamp };
      let block = await blocks.find(start);
      if (block === undefined) {
        if (!buffer.isDue()) return buffer.writeWhenDue();
        block = await blocks.begin({ ...start, lastOffset: endOf(records) });
      }
      const { lastOffset } = block;
      const own = records.filter(({ offset }) => offset <= lastOffset);
      // An earlier attempt fixed the end. The missing records come with the next batches.
      if (own.length === records.length && position <= lastOffset) return;
      if (signal.aborted) return;
      await insert(block, own, latest, signal);
      if (signal.aborted) return;
      await latest.commit(lastOffset + 1n);
      if (signal.aborted) return;
      records = records.slice(own.length);
      buffer.startAge();
      buffer.count(-sizeOf(own));
    }
  }

  /** Returns the offset of the last record that belongs to a block of these. */
  function endOf(some: readonly StoredRecord[]): bigint {
    let size = 0;
    const end = some.findIndex(({ value }) => {
      size += value?.length ?? 0;
      return size >= blockBytes;
    });
    return some.at(end)?.offset ?? 0n;
  }

  const { inTurn, drop, settled } = buffer;
  return { add: (batch) => inTurn(() => addNow(batch)), drop, settled };
}

function sizeOf(records: readonly StoredRecord[]): number {
  return records.reduce((sum, { value }) => sum + (value?.length ?? 0), 0);
}
