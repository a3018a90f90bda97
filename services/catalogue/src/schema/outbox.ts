import { offsetsTable } from '@switchboard/outbox/schema';
import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { createdAt } from './columns.ts';

/** Records of the topic `directory` that are not yet published, in commit order. The id is the revision. */
export const outbox = pgTable('outbox', {
  id: bigint({ mode: 'bigint' }).primaryKey().generatedAlwaysAsIdentity(),
  key: text().notNull(),
  value: text(),
  createdAt: createdAt(),
});

/** The offset after the last record published to each partition of the topic `directory`. */
export const publishedOffsets = offsetsTable('published_offsets');
