import { openDatabase } from '@switchboard/database';
import {
  DIRECTORY_TOPIC,
  directoryMigrations,
  ERASURE_REPORTS_TOPIC,
  openDirectory,
} from '@switchboard/directory';
import { type EventLog, openPostgresLog, readTopic, type StoredRecord } from '@switchboard/event-log';
import { createLogger, createMetrics, openEventLog } from '@switchboard/runtime';
import { eventually, testDatabase } from '@switchboard/testkit';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { acme, ada, pro, shop, useCatalogue } from '../testing/harness.ts';

const { catalogue, one } = await useCatalogue();
let log: EventLog;
beforeAll(async () => {
  log = openPostgresLog({ url: catalogue.logUrl });
  await one.put('/plans/pro/monthly', pro);
  await one.put('/companies/acme', acme);
  await one.put('/companies/acme/members/ada', ada);
  await one.put('/projects/shop', shop);
});
afterAll(async () => {
  await log.close();
  await catalogue.close();
});

/** Starts a new replica of a service, with the same event log permissions as the service. */
async function follow() {
  const own = await testDatabase({ migrations: [directoryMigrations] });
  const logger = createLogger({ service: 'flags', level: 'silent' });
  const config = { ...one.config, EVENT_LOG_DATABASE_URL: catalogue.logUrl };
  const restricted = openEventLog({ config, logger, metrics: createMetrics('flags') }, 'flags');
  const database = openDatabase({ url: own.url, applicationName: 'follower' });
  const directory = openDirectory({ database, log: restricted, service: 'flags' });
  onTestFinished(async () => {
    await directory.stop();
    await restricted.close();
    await database.close();
    await own.drop();
  });
  await directory.start();
  return directory;
}

async function recordsOf(...keys: string[]): Promise<StoredRecord[]> {
  const records: StoredRecord[] = [];
  await readTopic(log, DIRECTORY_TOPIC, { onRecord: (record) => records.push(record) });
  return records.filter(({ key }) => keys.includes(key ?? ''));
}

it("publishes a follower's newer entries after a late record, and the follower continues", async () => {
  const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
  const late = await recordsOf(`key:${key}`, 'project:shop');
  await one.remove(`/projects/shop/keys/${key}`);
  await one.put('/projects/shop', { ...shop, name: 'Renamed' });
  const directory = await follow();
  expect(await directory.projectKey(key)).toBeUndefined();
  await log.publish(DIRECTORY_TOPIC, late);

  const last = async (name: string) => (await recordsOf(name)).at(-1);
  await eventually(async () => {
    expect(await last(`key:${key}`)).toMatchObject({ value: null });
    expect(String((await last('project:shop'))?.value)).toContain('Renamed');
  });
  const later = await follow();
  expect(await later.projectKey(key)).toBeUndefined();
  expect(await later.project('shop')).toMatchObject({ name: 'Renamed' });
  // This record is in the same partition as the late record.
  await one.put('/projects/shop', { ...shop, name: 'Again' });
  await eventually(async () => expect(await directory.project('shop')).toMatchObject({ name: 'Again' }));
});

it('publishes reported entries of every kind as stored, once, and tombstones for deleted ones', async () => {
  await one.put('/throttles/shop', { eventsPerSecond: 7 });
  const { key } = (await one.manage('POST', '/projects/shop/keys')).body;
  await one.put('/projects/shop/reports/a%2Fb', { name: 'Weekly' });
  const { id: erasure } = (await one.manage('POST', '/projects/shop/erasures', { distinctIds: ['p'] })).body;
  const ci = { kind: 'service', name: 'CI', permissions: ['flags.read'] };
  const { id: token } = (await one.manage('POST', '/companies/acme/tokens', ci)).body;
  const there = [
    'plan:pro/monthly',
    'company:acme',
    'member:acme/ada',
    'project:shop',
    `key:${key}`,
    'report:shop/a%2Fb',
    `token:${token}`,
    `erasure:${erasure}`,
  ];
  const gone = ['member:acme/nobody', 'key:pk_eu_gone', 'report:shop/gone', 'token:gone'];
  const before = await catalogue.published();
  const old = await recordsOf(...there);
  const unreadable = [
    ...['key:%00', 'key:%C3', 'key:%41', 'key:"', `key:${'k'.repeat(2_500)}`, 'planet:mars', 'key:', 7],
  ].map((entry) => ({ entry }));
  const reports = [...there, ...gone].flatMap((entry) => [{ entry }, { entry }]);
  await catalogue.report(ERASURE_REPORTS_TOPIC, ...unreadable, ...reports);

  await eventually(async () => expect(await recordsOf(...gone)).toHaveLength(gone.length));
  await eventually(async () => expect(await recordsOf(...there)).toHaveLength(old.length + there.length));
  const after = await catalogue.published();
  for (const name of there) expect([name, after.get(name)]).toEqual([name, before.get(name)]);
  expect(after.get('project:shop')).toMatchObject({ eventsPerSecond: 7 });
  for (const name of gone) expect(after.get(name)).toBeNull();
  const revisions = (await recordsOf(...there)).map(({ headers }) => Number(headers['revision']));
  const newest = Math.max(...old.map(({ headers }) => Number(headers['revision'])));
  expect(revisions.filter((revision) => revision > newest)).toHaveLength(there.length);
  const [dead] = await log.endOffsets(`${ERASURE_REPORTS_TOPIC}.dead-letter`);
  expect(dead).toBe(BigInt(unreadable.length));
});
