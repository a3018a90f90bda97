import { join } from 'node:path';
import { openDatabase } from '@switchboard/database';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { createPersonPublisher } from '@switchboard/person-ids/testing';
import type { Logger } from '@switchboard/runtime';
import { type Env, eventually, openHarness } from '@switchboard/testkit';
import { afterAll, expect } from 'vitest';
import { type MessengerConstants, messengerService } from '../service.ts';
import { createProjects } from './projects.ts';
import { type RequestOptions, request } from './request.ts';

export const IDENTITY_SECRET = 'a secret of more than thirty-two characters';

export interface TestMessengerOptions extends MessengerConstants {
  env?: Env;
  /** A new database by default. */
  databaseUrl?: string;
}

export type TestMessenger = Awaited<ReturnType<typeof startMessenger>>;

/** Starts messenger, and stops it after the tests of this file. */
export async function useMessenger(options: TestMessengerOptions = {}): Promise<TestMessenger> {
  const messenger = await startMessenger(options);
  afterAll(() => messenger.stop());
  return messenger;
}

/** Starts the service with its backings, an operator, and a directory to publish projects to. */
export async function startMessenger({ env = {}, databaseUrl, ...constants }: TestMessengerOptions = {}) {
  /** Shifts the clock of every instance, in milliseconds. */
  const time = { shift: 0 };
  const harness = await openHarness({
    services: { messenger: messengerService },
    env: { PUBLIC_API_URL: 'https://api.test/base/', IDENTITY_SECRET, ...env },
    clock: { now: () => new Date(Date.now() + time.shift) },
    ...(databaseUrl === undefined ? {} : { databases: { messenger: databaseUrl } }),
  });
  const database = openDatabase({ url: await harness.databaseUrl('messenger'), applicationName: 'test' });
  harness.defer(() => database.close());
  const log = openPostgresLog({ url: harness.env['EVENT_LOG_DATABASE_URL'] ?? '' });
  harness.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const people = await createPersonPublisher(log, database);
  const operator = await harness.mint({ sub: 'operator', permissions: ['service.manage'] });
  const { url, service } = await harness.start('messenger', {}, { constants });

  const call = (method: string, path: string, options: RequestOptions & { url?: string } = {}) =>
    request(`${options.url ?? url}${path}`, method, options);

  const manage = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
    call(method, `/management/v1${path}`, {
      token: operator,
      headers,
      ...(Buffer.isBuffer(body) ? { raw: body } : body === undefined ? {} : { body }),
    });

  /** Returns the number of audit entries, once all of them are published. */
  const auditEntries = () =>
    eventually(async () => {
      expect(await database.sql`select 1 from audit.outbox`).toHaveLength(0);
      return (await log.endOffsets('audit'))[0] ?? 0n;
    });

  return {
    url,
    service,
    database,
    log,
    auditEntries,
    objectsFolder: join(harness.folder, 'objects'),
    mint: harness.mint,
    time,
    directory,
    ...people,
    call,
    manage,
    startInstance: (instanceEnv: Env = {}, given: { constants?: MessengerConstants; logger?: Logger } = {}) =>
      harness.start('messenger', instanceEnv, given),
    ...createProjects({ directory, mint: harness.mint, call }),
    stop: harness.stop,
  };
}
