import { fileURLToPath } from 'node:url';

/** The tables of this service, for `migrate` of `@switchboard/database`. */
export const deliveryMigrations = {
  folder: fileURLToPath(new URL('../../migrations', import.meta.url)),
};
