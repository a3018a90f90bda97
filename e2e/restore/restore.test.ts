import { expect, test } from 'vitest';
import { restoreEveryStore } from './restore.ts';

/** A superuser's URL of an empty server. Its databases and roles are named after the services. */
const postgresUrl = process.env['RESTORE_POSTGRES_URL'];

test.skipIf(postgresUrl === undefined)(
  'the documented commands restore every store without missing, duplicate or deleted data',
  { retry: 0, timeout: 1_200_000 },
  async () => {
    await expect(restoreEveryStore(postgresUrl ?? '')).resolves.toBeUndefined();
  },
);
