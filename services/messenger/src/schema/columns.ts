import { timestamp } from 'drizzle-orm/pg-core';

/** Defines a timestamp to the millisecond, as the interface shows it. */
export const timestampMs = (name: string) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' });
