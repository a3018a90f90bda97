import type { AvatarType, MessengerSettings } from '@switchboard/contracts';
import { index, integer, json, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { timestampMs } from './columns.ts';

export const configurations = pgTable('configurations', {
  projectId: text('project_id').primaryKey(),
  /** Settings with sanitised prompts. Uses json because jsonb would reorder the keys of `availability`. */
  settings: json().$type<MessengerSettings>().notNull(),
});

export const teammates = pgTable(
  'teammates',
  {
    projectId: text('project_id').notNull(),
    userId: text('user_id').notNull(),
    name: text().notNull(),
    initials: text(),
    tone: text(),
    /** The current avatar: a file of `avatars`. */
    avatarFile: text('avatar_file'),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.userId] })],
);

/** Every avatar that a teammate has had, because the content of an avatar path never changes. */
export const avatars = pgTable(
  'avatars',
  {
    projectId: text('project_id').notNull(),
    userId: text('user_id').notNull(),
    /** SHA-256 of the bytes, and the type's extension. */
    file: text().notNull(),
    contentType: text('content_type').$type<AvatarType>().notNull(),
    bytes: integer().notNull(),
    createdAt: timestampMs('created_at').notNull(),
  },
  (table) => [primaryKey({ columns: [table.projectId, table.userId, table.file] })],
);

export const identitySecrets = pgTable(
  'identity_secrets',
  {
    id: text().primaryKey(),
    projectId: text('project_id').notNull(),
    /** Encrypted rather than hashed: checking a userHash needs the secret itself. */
    encrypted: text('sealed').notNull(),
    createdAt: timestampMs('created_at').notNull(),
  },
  (table) => [index('identity_secrets_by_project').on(table.projectId)],
);
