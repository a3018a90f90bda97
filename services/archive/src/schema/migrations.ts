import { fileURLToPath } from 'node:url';

/** This service's own tables, for `migrate` of `@switchboard/database`. */
export const archiveMigrations = { folder: fileURLToPath(new URL('../../migrations', import.meta.url)) };
