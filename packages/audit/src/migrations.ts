import { fileURLToPath } from 'node:url';

/** The outbox, for `migrate` of `@switchboard/database`: a schema of its own in a service's database. */
export const auditMigrations = {
  folder: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'audit_migrations',
};
