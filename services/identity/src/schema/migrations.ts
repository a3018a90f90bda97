import { fileURLToPath } from 'node:url';

/** The migrations of this service's tables, for `migrate` of `@switchboard/database`. */
export const identityMigrations = { folder: fileURLToPath(new URL('../../migrations', import.meta.url)) };
