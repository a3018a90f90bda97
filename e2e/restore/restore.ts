import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServiceName } from '@switchboard/contracts';
import { asyncBufferFromFile, parquetMetadataAsync } from 'hyparquet';
import { expect } from 'vitest';
import { z } from 'zod';
import { createProject, managementClient } from '../harness/project.ts';
import { openRestoreEnvironment, SERVICES } from './environment.ts';
import { createSdk } from './sdk.ts';

const PROJECT = 'shop';
const WITH_REPLICA = SERVICES.filter((service) => service !== 'catalogue');
const created = z.object({ key: z.string() });
const answered = z.object({
  report: z.object({ series: z.array(z.object({ values: z.array(z.number()) })) }),
});
const ran = z.object({ ranAt: z.string().nullable(), failure: z.unknown() });
/** Covers two days, in case midnight passes during the test. */
const QUESTION = { kind: 'trends', range: { last: 2, unit: 'day' }, series: [{ event: 'order placed' }] };

/**
 * Backs up, drops and restores every store with the commands of docs/backup-and-upgrade.md. `postgresUrl` connects to
 * an empty PostgreSQL server as a superuser. Needs the client programs of PostgreSQL and Kafka on the PATH. Throws if
 * data is missing or duplicated.
 */
export async function restoreEveryStore(postgresUrl: string): Promise<void> {
  const environment = await openRestoreEnvironment(postgresUrl);
  const { url, call, eventuallyIs, runCommand, start, stop, sql } = environment;
  const dropDatabase = (service: ServiceName) => sql('postgres', `drop database ${service}`);
  try {
    for (const service of SERVICES) {
      await sql('postgres', `create role ${service} login password '${service}'`);
      await environment.createDatabase(service);
    }
    await start(...SERVICES);
    const project = await createProject(environment, { id: PROJECT, region: 'eu' });
    const manage = await managementClient(environment);
    const operator = await environment.tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
    const { key } = project;
    const { identify, join: joinIds, events, replay } = createSdk(environment, key);
    const newKey = async () =>
      created.parse(await manage('catalogue', 'POST', `/projects/${PROJECT}/keys`)).key;

    const flags = (person: string, by = key) => call(`${url('flags')}/v1/flags?distinct_id=${person}`, by);
    const onTeam = (person: string) => async () => (await flags(person)).body.flags?.['team-only'];
    const statusOf = (by: string) => async () => (await flags('x', by)).status;
    const ofProject = (path: string) =>
      call(`${url('archive')}/management/v1/projects/${PROJECT}${path}`, operator);
    const stateOf = (event: string) => async () => (await ofProject(`/events/${event}`)).body.state;
    const recordings = async () =>
      (await ofProject('/replays')).body.replays?.map((one: { sessionId: string }) => one.sessionId).sort();
    const rows = () => countRows(join(environment.objects, 'events'));
    /** Returns the number of events that insights count, of all people or of a cohort. */
    const counted = (cohort?: string) => async () => {
      const address = `${url('analytics')}/v1/projects/${PROJECT}/insights`;
      const asked = await call(address, project.member, { method: 'POST', body: { ...QUESTION, cohort } });
      if (asked.status !== 200) return asked.status;
      const values = answered.parse(asked.body).report.series.flatMap((series) => series.values);
      return values.reduce((sum, value) => sum + value, 0);
    };
    const joinedIds = () =>
      sql('analytics', `select string_agg(distinct_id, ',' order by distinct_id) from person_ids`);
    const report = `/projects/${PROJECT}/reports/${project.reportId}`;
    async function runReport(): Promise<void> {
      const before = Date.now();
      await manage('analytics', 'POST', `${report}/run`);
      const lastRun = async () => {
        const { ranAt, failure } = ran.parse(await manage('collaboration', 'GET', `${report}/runs/last`));
        return ranAt !== null && Date.parse(ranAt) >= before && failure === null;
      };
      await eventuallyIs('the saved report has run', lastRun, true);
    }

    await manage('flags', 'PUT', `/projects/${PROJECT}/flags/team-only`, {
      enabled: true,
      rolloutPercentage: 100,
      targeting: [{ attribute: 'plan', op: 'eq', value: 'team' }],
    });
    const team = { name: 'Team', match: [{ attribute: 'plan', op: 'eq', value: 'team' }] };
    await manage('flags', 'PUT', `/projects/${PROJECT}/cohorts/team`, team);
    await manage('catalogue', 'PUT', report, { name: 'Sign-ups', query: QUESTION });
    await identify('ada', 'team');
    await identify('bob', 'pro');
    await identify('person-1', 'team');
    await joinIds('dana-phone', 'dana');
    await events('before', 50);
    await replay('session-before');
    const conversations = `${url('messenger')}/v1/conversations`;
    const opened = await call(conversations, key, { method: 'POST', body: { distinctId: 'ada' } });
    const { conversationId, token } = opened.body;
    const link = `${url('collaboration')}/v1/projects/${PROJECT}/reports/${project.reportId}/public-link`;
    const expiresOn = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const linked = await call(link, project.member, { method: 'PUT', body: { expiresOn } });
    await eventuallyIs('ada has the team flag', onTeam('ada'), true);
    await eventuallyIs('rows', rows, 50);
    await eventuallyIs('recordings', recordings, ['session-before']);
    await eventuallyIs('events in insights', counted(), 50);
    await eventuallyIs('events of the team', counted('team'), 1);
    await runReport();
    const signingKeys = async () => (await call(`${url('identity')}/identity/jwks`, key)).body;
    const keysBefore = await signingKeys();
    await sql('identity', `insert into accounts (id, email, name) values ('ada', 'ada@example.com', 'Ada')`);
    await runCommand('dump');

    // Send more data after the backup.
    await identify('bob', 'team');
    await identify('cid', 'team');
    await joinIds('cid-phone', 'cid');
    await identify('person-2', 'team');
    await manage('flags', 'PUT', `/projects/${PROJECT}/cohorts/later`, team);
    await events('after', 30);
    await events('before', 10);
    await replay('session-after');
    const laterKey = await newKey();
    await eventuallyIs('bob has the team flag', onTeam('bob'), true);
    await eventuallyIs('status of the later key', statusOf(laterKey), 200);
    await eventuallyIs('rows', rows, 80);
    await eventuallyIs('recordings', recordings, ['session-after', 'session-before']);
    await eventuallyIs('events of the later cohort', counted('later'), 4);
    await eventuallyIs('joined ids', joinedIds, 'cid-phone,dana-phone');

    // Drop the database analytics.
    await stop('analytics');
    await dropDatabase('analytics');
    await runCommand('restore', { service: 'analytics' });
    await runCommand('replica', { service: 'analytics' });
    await runCommand('lists');
    for (const group of ['people', 'cohorts', 'person-ids', 'archive-files'])
      await runCommand('reset', { group: `analytics.${group}` });
    await start('analytics');
    await eventuallyIs('events in insights', counted(), 80);
    for (const cohort of ['team', 'later']) await eventuallyIs('events of a cohort', counted(cohort), 4);
    await eventuallyIs('joined ids', joinedIds, 'cid-phone,dana-phone');
    await runReport();

    // Drop the database flags.
    await stop('flags');
    await dropDatabase('flags');
    await runCommand('restore', { service: 'flags' });
    await runCommand('replica', { service: 'flags' });
    await runCommand('reset', { group: 'flags.user-state' });
    await start('flags');
    // The later person has the joined id again.
    for (const person of ['ada', 'bob', 'cid', 'cid-phone'])
      await eventuallyIs(`${person} has the team flag`, onTeam(person), true);
    await eventuallyIs('status of the later key', statusOf(laterKey), 200);

    // Drop the database archive.
    await stop('archive');
    await dropDatabase('archive');
    await runCommand('restore', { service: 'archive' });
    await runCommand('replica', { service: 'archive' });
    await runCommand('rebuild');
    await runCommand('reset', { group: 'archive.replays' });
    await start('archive');
    await eventuallyIs('recordings', recordings, ['session-after', 'session-before']);
    const played = async () => (await ofProject('/replays/session-after/events')).status;
    await eventuallyIs('status of the newest recording', played, 200);
    await eventuallyIs('state of an event sent after the backup', stateOf('after-1'), 'not_seen');
    await events('later', 20);
    await eventuallyIs('state of a later event', stateOf('later-1'), 'archived');
    await eventuallyIs('rows', rows, 100);
    await eventuallyIs('events in insights', counted(), 100);

    // Drop the database archive and recreate it empty.
    await stop('archive');
    await dropDatabase('archive');
    await environment.createDatabase('archive');
    await runCommand('reset', { group: 'archive.replays' });
    await start('archive');
    await eventuallyIs('recordings', recordings, ['session-after', 'session-before']);
    await events('much-later', 10);
    await eventuallyIs('state of a later event', stateOf('much-later-1'), 'archived');
    await eventuallyIs('rows', rows, 110);
    await eventuallyIs('events in insights', counted(), 110);

    // Drop the databases messenger and collaboration.
    await stop('messenger', 'collaboration');
    for (const service of ['messenger', 'collaboration'] as const) {
      await dropDatabase(service);
      await runCommand('restore', { service });
      await runCommand('replica', { service });
    }
    await start('messenger', 'collaboration');
    const headers = { 'X-Service-Conversation-Token': token };
    const read = async () => (await call(`${conversations}/${conversationId}`, key, { headers })).status;
    await eventuallyIs('status of the conversation', read, 200);
    await eventuallyIs(
      'token of the link',
      async () => (await call(link, project.member)).body.token,
      linked.body.token,
    );

    // Drop the database identity. It signs with the keys of the dump, which ACCOUNT_SECRET decrypts.
    await stop('identity');
    await dropDatabase('identity');
    await runCommand('restore', { service: 'identity' });
    await runCommand('replica', { service: 'identity' });
    await start('identity');
    expect(await signingKeys()).toEqual(keysBefore);
    expect(await sql('identity', 'select email from accounts')).toBe('ada@example.com');

    // Drop the database catalogue. Its backup does not contain the later key.
    await stop(...SERVICES);
    await dropDatabase('catalogue');
    await runCommand('restore', { service: 'catalogue' });
    await runCommand('revision');
    await runCommand('lose-topic');
    for (const service of WITH_REPLICA) await runCommand('replica', { service });
    await start(...SERVICES);
    await eventuallyIs('status of the first key', statusOf(key), 200);
    await eventuallyIs('status of the later key', statusOf(laterKey), 401);
    const newestKey = await newKey();
    await eventuallyIs('status of a new key', statusOf(newestKey), 200);
    await runReport();

    // Replace Kafka by an empty one.
    await stop(...SERVICES);
    await environment.loseKafka();
    for (const service of WITH_REPLICA) await runCommand('replica', { service });
    await start(...SERVICES);
    await eventuallyIs('status of the first key', statusOf(key), 200);
    await eventuallyIs('status of the newest key', statusOf(newestKey), 200);
    await eventuallyIs('bob has the team flag', onTeam('bob'), true);
    await identify('bob', 'pro');
    await eventuallyIs('bob has the team flag', onTeam('bob'), false);
    await joinIds('eve-phone', 'eve');
    await eventuallyIs('joined ids', joinedIds, 'cid-phone,dana-phone,eve-phone');
    await events('new-log', 10);
    await eventuallyIs('state of an event on the new log', stateOf('new-log-1'), 'archived');
    await eventuallyIs('rows', rows, 120);
    await eventuallyIs('events in insights', counted(), 120);
    await eventuallyIs('events of the team', counted('team'), 10);
    await runReport();
    await replay('session-new');
    await eventuallyIs('recordings', recordings, ['session-after', 'session-before', 'session-new']);
  } finally {
    await environment.close();
  }
}

/** Counts the rows of all Parquet files in a folder. */
async function countRows(folder: string): Promise<number> {
  let rows = 0;
  for (const name of await readdir(folder, { recursive: true })) {
    if (!name.endsWith('.parquet')) continue;
    rows += Number((await parquetMetadataAsync(await asyncBufferFromFile(join(folder, name)))).num_rows);
  }
  return rows;
}
