import { text, timestamp } from 'drizzle-orm/pg-core';

export const createdAt = () => timestamp('created_at', { withTimezone: true }).notNull().defaultNow();

/** JSON stored as text, so that it is read back byte for byte, with its properties in the original order. */
export const json = (name: string) => text(name).notNull();
