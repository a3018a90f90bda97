import { auditMigrations } from '@switchboard/audit';
import { type Database, openDatabase } from '@switchboard/database';
import { directoryMigrations } from '@switchboard/directory';
import { testDatabase } from '@switchboard/testkit';
import { afterAll } from 'vitest';
import { analyticsMigrations } from '../schema/migrations.ts';

const MIGRATIONS = [directoryMigrations, auditMigrations, analyticsMigrations];
/** For tests that insert many rows. */
const STATEMENT_TIMEOUT_MS = 60_000;

/** Opens a database for the tests of a file, and drops it after them. */
export async function useDatabase(): Promise<{ database: Database; url: string }> {
  const { url, drop } = await testDatabase({ migrations: MIGRATIONS });
  const database = openDatabase({ url, applicationName: 'test', statementTimeoutMs: STATEMENT_TIMEOUT_MS });
  afterAll(async () => {
    await database.close();
    await drop();
  });
  return { database, url };
}
