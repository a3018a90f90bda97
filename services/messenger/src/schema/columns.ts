import { customType, timestamp } from 'drizzle-orm/pg-core';

/** Defines a timestamp to the millisecond, as the interface shows it. */
export const timestampMs = (name: string) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });

/** Defines the words of a text for full-text search. */
export const tsvector = customType<{ data: string }>({ dataType: () => 'tsvector' });
