import { fileURLToPath } from 'node:url';

/** The migrations of the replica, for `migrate` of `@switchboard/database`. They create a separate schema. */
export const directoryMigrations = {
  folder: fileURLToPath(new URL('../migrations', import.meta.url)),
  table: 'directory_migrations',
};
