import { fileURLToPath } from 'node:url';

/** The replica's tables, for `migrate` of `@switchboard/database`: a schema of its own in a service's database. */
export const directoryMigrations = {
  folder: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'directory_migrations',
};
