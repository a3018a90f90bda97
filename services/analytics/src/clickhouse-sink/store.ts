import type { Db } from '@switchboard/database';
import { and, eq, lt, or, sql } from 'drizzle-orm';
import { clickhouseBlocks } from '../schema/index.ts';

/** Consecutive records of a partition that are inserted together. */
export interface Block {
  partition: number;
  firstOffset: bigint;
  /** Log timestamp of the first record, in milliseconds. */
  firstAt: number;
  lastOffset: bigint;
}

export interface ClickhouseSinkStore {
  /** Returns the block that begins with this record, if an earlier attempt has fixed its end. */
  find(first: Omit<Block, 'lastOffset'>): Promise<Block | undefined>;
  /** Fixes the end of a block unless it is already fixed, and returns the block. */
  begin(block: Block): Promise<Block>;
}

export function createClickhouseSinkStore(db: Db): ClickhouseSinkStore {
  async function find({ partition, firstOffset, firstAt }: Omit<Block, 'lastOffset'>) {
    const [row] = await db
      .select({ lastOffset: clickhouseBlocks.lastOffset })
      .from(clickhouseBlocks)
      .where(
        and(
          eq(clickhouseBlocks.logPartition, partition),
          eq(clickhouseBlocks.firstOffset, Number(firstOffset)),
          eq(clickhouseBlocks.firstAt, firstAt),
        ),
      );
    return row && { partition, firstOffset, firstAt, lastOffset: BigInt(row.lastOffset) };
  }

  return {
    find,

    async begin(block) {
      await db
        .insert(clickhouseBlocks)
        .values({
          logPartition: block.partition,
          firstOffset: Number(block.firstOffset),
          firstAt: block.firstAt,
          lastOffset: Number(block.lastOffset),
        })
        .onConflictDoNothing();
      const begun = await find(block);
      if (begun === undefined) throw new Error('the started block is not stored');
      // Blocks before this one are committed, and no process inserts them after a day.
      await db
        .delete(clickhouseBlocks)
        .where(
          and(
            sql`${clickhouseBlocks.createdAt} < now() - interval '1 day'`,
            or(
              and(
                eq(clickhouseBlocks.logPartition, block.partition),
                lt(clickhouseBlocks.firstOffset, Number(block.firstOffset)),
              ),
              sql`${clickhouseBlocks.createdAt} < now() - interval '90 days'`,
            ),
          ),
        );
      return begun;
    },
  };
}
