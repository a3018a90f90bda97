import { fileURLToPath } from 'node:url';

/** The migrations of the outbox, for `migrate` of `@switchboard/database`. They create a separate schema. */
export const auditMigrations = {
  folder: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'audit_migrations',
};
