import { bigint, integer, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';

/** Records of the topic `directory` that are not published yet, in commit order. The id is the revision. */
export const outbox = pgTable('outbox', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  key: text().notNull(),
  value: text(),
  createdAt: createdAt(),
});

/** For each partition of the topic `directory`, the offset after the last record published there. */
export const publishedOffsets = pgTable('published_offsets', {
  partition: integer().primaryKey(),
  nextOffset: bigint('next_offset', { mode: 'bigint' }).notNull(),
});
