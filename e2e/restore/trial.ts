import { join } from 'node:path';
import type { ServiceName } from '@switchboard/contracts';
import { z } from 'zod';
import { createProject, managing } from '../harness/project.ts';
import { createSends } from './sends.ts';
import { openStage, SERVICES, type StageOptions } from './stage.ts';

interface RestoreTrial extends StageOptions {
  /** How many rows the Parquet files of a folder have. */
  countRows(folder: string): Promise<number>;
}

const PROJECT = 'shop';
const WITH_REPLICA = SERVICES.filter((service) => service !== 'catalogue');
const created = z.object({ key: z.string() });

/**
 * Backs up, loses and restores every store, with the commands of docs/backup.md as they stand there. Needs an empty
 * PostgreSQL server, and PATH to have its programs and Kafka’s. Throws when something is missing or there twice.
 */
export async function runRestoreTrial({ countRows, ...options }: RestoreTrial): Promise<void> {
  const { say } = options;
  const stage = await openStage(options);
  const { url, call, is, carryOut, start, stop, sql } = stage;
  const lose = (service: ServiceName) => sql('postgres', `drop database ${service}`);
  try {
    for (const service of SERVICES) {
      await sql('postgres', `create role ${service} login password '${service}'`);
      await stage.createDatabase(service);
    }
    say(`PostgreSQL ${await sql('postgres', 'show server_version')}`);
    await start(...SERVICES);
    const project = await createProject(stage, { id: PROJECT, region: 'eu' });
    const manage = await managing(stage);
    const operator = await stage.tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
    const { key } = project;
    const { identify, events, replay } = createSends(stage, key);
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
    const rows = () => countRows(join(stage.objects, 'events'));

    await manage('flags', 'PUT', `/projects/${PROJECT}/flags/team-only`, {
      enabled: true,
      rolloutPercentage: 100,
      targeting: [{ attribute: 'plan', op: 'eq', value: 'team' }],
    });
    await identify('ada', 'team');
    await identify('bob', 'pro');
    await events('before', 50);
    await replay('session-before');
    const conversations = `${url('messenger')}/v1/conversations`;
    const opened = await call(conversations, key, { method: 'POST', body: { distinctId: 'ada' } });
    const { conversationId, token } = opened.body;
    const link = `${url('collaboration')}/v1/projects/${PROJECT}/reports/${project.reportId}/public-link`;
    const expiresOn = new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10);
    const linked = await call(link, project.member, { method: 'PUT', body: { expiresOn } });
    await is('ada is on team', onTeam('ada'), true);
    await is('rows', rows, 50);
    await is('recordings', recordings, ['session-before']);
    await carryOut('dump');

    say('After the backup.');
    await identify('bob', 'team');
    await identify('cid', 'team');
    await events('after', 30);
    await events('before', 10);
    await replay('session-after');
    const laterKey = await newKey();
    await is('bob is on team', onTeam('bob'), true);
    await is('the later key', statusOf(laterKey), 200);
    await is('rows', rows, 80);
    await is('recordings', recordings, ['session-after', 'session-before']);

    say('The database flags is lost.');
    await stop('flags');
    await lose('flags');
    await carryOut('restore', { service: 'flags' });
    await carryOut('replica', { service: 'flags' });
    await carryOut('reset', { group: 'flags.user-state' });
    await start('flags');
    for (const person of ['ada', 'bob', 'cid']) await is(`${person} is on team`, onTeam(person), true);
    await is('the later key', statusOf(laterKey), 200);

    say('The database archive is lost.');
    await stop('archive');
    await lose('archive');
    await carryOut('restore', { service: 'archive' });
    await carryOut('replica', { service: 'archive' });
    await carryOut('reset', { group: 'archive.replays' });
    await start('archive');
    await is('recordings', recordings, ['session-after', 'session-before']);
    const played = async () => (await ofProject('/replays/session-after/events')).status;
    await is('the newest recording plays', played, 200);
    await is('an event of after the backup', stateOf('after-1'), 'not_seen');
    await events('later', 20);
    await is('a later event', stateOf('later-1'), 'archived');
    await is('rows', rows, 100);

    say('The database archive is lost for good.');
    await stop('archive');
    await lose('archive');
    await stage.createDatabase('archive');
    await carryOut('reset', { group: 'archive.replays' });
    await start('archive');
    await is('recordings', recordings, ['session-after', 'session-before']);
    await events('much-later', 10);
    await is('a later event', stateOf('much-later-1'), 'archived');
    await is('rows', rows, 110);

    say('The databases messenger and collaboration are lost.');
    await stop('messenger', 'collaboration');
    for (const service of ['messenger', 'collaboration'] as const) {
      await lose(service);
      await carryOut('restore', { service });
      await carryOut('replica', { service });
    }
    await start('messenger', 'collaboration');
    const headers = { 'X-Service-Conversation-Token': token };
    const read = async () => (await call(`${conversations}/${conversationId}`, key, { headers })).status;
    await is('the conversation', read, 200);
    await is('the link', async () => (await call(link, project.member)).body.token, linked.body.token);

    say('The database catalogue is lost; its backup knows nothing of the later key.');
    await stop(...SERVICES);
    await lose('catalogue');
    await carryOut('restore', { service: 'catalogue' });
    await carryOut('revision');
    await carryOut('lose-topic');
    for (const service of WITH_REPLICA) await carryOut('replica', { service });
    await start(...SERVICES);
    await is('the key', statusOf(key), 200);
    await is('the later key', statusOf(laterKey), 401);
    const newestKey = await newKey();
    await is('a new key', statusOf(newestKey), 200);

    say('Kafka is lost.');
    await stop(...SERVICES);
    await stage.loseKafka();
    for (const service of WITH_REPLICA) await carryOut('replica', { service });
    await start(...SERVICES);
    await is('the key', statusOf(key), 200);
    await is('the newest key', statusOf(newestKey), 200);
    await is('bob is on team', onTeam('bob'), true);
    await identify('bob', 'pro');
    await is('bob is on team', onTeam('bob'), false);
    await events('anew', 10);
    await is('an event of the new log', stateOf('anew-1'), 'archived');
    await is('rows', rows, 120);
    await replay('session-anew');
    await is('recordings', recordings, ['session-after', 'session-anew', 'session-before']);
  } finally {
    await stage.close();
  }
}
