import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { ServiceName } from '@switchboard/contracts';
import { accessTokens, eventually, freePort, startKafka, startRedis } from '@switchboard/testkit';
import { type Instance, startInstance } from '../harness/instances.ts';
import { createProject, managing } from '../harness/project.ts';

/**
 * Backs up, loses and restores every store, with the commands of docs/backup.md as they stand there. Needs an empty
 * PostgreSQL server, and PATH to have its programs and Kafka's.
 */
export interface RestoreTrial {
  /** libpq’s variables, of a superuser. */
  postgres: { PGHOST: string; PGPORT: string; PGUSER: string };
  /** How many rows the Parquet files of a folder have. */
  countRows(folder: string): Promise<number>;
  say(line: string): void;
}

const DOCUMENT = new URL('../../../../docs/backup.md', import.meta.url);
const SERVICES: ServiceName[] = ['catalogue', 'collaboration', 'messenger', 'flags', 'ingestion'];
const PROJECT = 'shop';

export async function runRestoreTrial({ postgres, countRows, say }: RestoreTrial): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-restore-'));
  const objects = join(folder, 'objects');
  const [kafka, redis, tokens] = await Promise.all([startKafka(), startRedis(), accessTokens()]);
  if (!kafka || !redis) throw new Error('Kafka and Redis are needed: deploy/backings/install.sh');
  const ports = new Map<ServiceName, number>();
  for (const service of SERVICES) ports.set(service, await freePort());
  let brokers = kafka.brokers.join(',');
  const stops: (() => Promise<unknown>)[] = [kafka.stop, redis.kill, tokens.stop];

  const documented = await commands();
  const sh = async (name: string, env: Record<string, string> = {}) => {
    const script = documented.get(name);
    if (script === undefined) throw new Error(`docs/backup.md has no ${name}`);
    say(`$ ${name} ${Object.values(env).join(' ')}`);
    const { stderr } = await promisify(execFile)('bash', ['-euc', script], {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...postgres, KAFKA: brokers, ...env },
    });
    if (stderr !== '') say(stderr.trim());
  };
  const psql = async (database: string, sql: string) =>
    (
      await promisify(execFile)('psql', ['-AtX', '-d', database, '-c', sql], {
        env: { PATH: process.env['PATH'], ...postgres },
      })
    ).stdout.trim();

  const running = new Map<ServiceName, Instance>();
  const start = async (...services: ServiceName[]) => {
    for (const service of services) {
      const instance = startInstance({
        service,
        port: ports.get(service) ?? 0,
        env: {
          ...settings(),
          DATABASE_URL: `postgres://${service}:${service}@${postgres.PGHOST}:${postgres.PGPORT}/${service}`,
        },
      });
      running.set(service, instance);
    }
    await Promise.all(services.map((service) => running.get(service)?.ready()));
  };
  const stop = async (...services: ServiceName[]) => {
    for (const service of services) {
      const code = await running.get(service)?.leave();
      if (code !== 0) throw new Error(`${service} ended with ${code}`);
    }
  };
  const settings = () => ({
    LOG_LEVEL: 'info',
    REGION: 'eu',
    AUTH_ISSUER: tokens.issuer,
    AUTH_AUDIENCE: tokens.audience,
    AUTH_JWKS_URL: tokens.jwksUrl,
    CONSOLE_URL: 'https://console.example.com',
    PUBLIC_API_URL: 'https://api.example.com',
    PUBLIC_LINK_BASE_URL: 'https://api.example.com/shared',
    KAFKA_BROKERS: brokers,
    REDIS_URL: redis.url,
    OBJECTS_FOLDER: objects,
    MAIL_DIR: join(folder, 'mails'),
    IDENTITY_SECRET: 'a secret of this trial and of nobody else',
    LINK_SECRET: 'a secret of this trial and of nobody else',
    ARCHIVE_FILE_SECONDS: '1',
  });
  const url = (service: ServiceName) => `http://127.0.0.1:${ports.get(service)}`;
  const call = async (at: string, token: string, method = 'GET', body?: unknown) => {
    const answer = await fetch(at, {
      method,
      headers: { Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    // biome-ignore lint/suspicious/noExplicitAny: whatever was answered is looked into
    return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as any };
  };

  try {
    for (const service of SERVICES) {
      await psql('postgres', `create role ${service} login password '${service}'`);
      await psql('postgres', `create database ${service} owner ${service}`);
      await psql('postgres', `revoke all on database ${service} from public`);
    }
    say(`PostgreSQL ${await psql('postgres', 'show server_version')}`);
    await start(...SERVICES);
    const deployment = {
      tokens,
      serving: (service: ServiceName) => {
        const one = running.get(service);
        return one === undefined ? [] : [one];
      },
    };
    const project = await createProject(deployment, { id: PROJECT, region: 'eu' });
    const manage = await managing(deployment);
    const operator = await tokens.mint({ sub: 'operator', permissions: ['service.manage'] });
    const key = project.key;

    const identify = (id: string, plan: string) =>
      expectStatus(202, () =>
        call(`${url('ingestion')}/v1/identify`, key, 'POST', { distinct_id: id, properties: { plan } }),
      );
    const events = (prefix: string, count: number) =>
      expectStatus(202, () =>
        call(`${url('ingestion')}/v1/events`, key, 'POST', {
          sent_at: new Date().toISOString(),
          events: Array.from({ length: count }, (_, i) => ({
            event_id: `${prefix}-${i}`,
            event_name: 'order placed',
            distinct_id: `person-${i}`,
            schema_version: 1,
            timestamp: new Date().toISOString(),
          })),
        }),
      );
    const replay = (session: string) =>
      expectStatus(202, () =>
        call(`${url('ingestion')}/v1/replay`, key, 'POST', {
          session_id: session,
          distinct_id: 'ada',
          seq: 0,
          events: [{ type: 4, timestamp: Date.now() }],
          masked: true,
          schema_version: 1,
          timestamp: new Date().toISOString(),
        }),
      );
    const flagOf = async (id: string, flag = 'team-only') =>
      (await call(`${url('flags')}/v1/flags?distinct_id=${id}`, key)).body.flags?.[flag];
    const is = (what: string, actual: () => Promise<unknown>, wanted: unknown) =>
      eventually(
        async () => {
          const found = await actual();
          if (JSON.stringify(found) !== JSON.stringify(wanted))
            throw new Error(`${what}: ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`);
        },
        { withinMs: 90_000 },
      ).then(() => say(`  ${what}: ${JSON.stringify(wanted)}`));
    const archivedEvents = async () =>
      Number(
        await psql(
          'ingestion',
          'select coalesce(sum(events), 0) from archive_segments where stored_at is not null',
        ),
      );
    const state = async (event: string) =>
      (await call(`${url('ingestion')}/management/v1/projects/${PROJECT}/events/${event}`, operator)).body
        .state;
    const recordings = async () =>
      (await call(`${url('ingestion')}/management/v1/projects/${PROJECT}/replays`, operator)).body.replays
        ?.map((one: { sessionId: string }) => one.sessionId)
        .sort();
    const playable = async (session: string) =>
      (
        await call(
          `${url('ingestion')}/management/v1/projects/${PROJECT}/replays/${session}/events`,
          operator,
        )
      ).status;

    await manage('flags', 'PUT', `/projects/${PROJECT}/flags/team-only`, {
      enabled: true,
      rolloutPercentage: 100,
      targeting: [{ attribute: 'plan', op: 'eq', value: 'team' }],
    });
    await identify('ada', 'team');
    await identify('bob', 'pro');
    await events('before', 50);
    await replay('session-before');
    const opened = await call(`${url('messenger')}/v1/conversations`, key, 'POST', { distinctId: 'ada' });
    const link = `${url('collaboration')}/v1/projects/${PROJECT}/reports/${project.reportId}/public-link`;
    const { body: linked } = await call(link, project.member, 'PUT', {
      expiresOn: new Date(Date.now() + 5 * 86_400_000).toISOString().slice(0, 10),
    });
    await is('ada is on team', () => flagOf('ada'), true);
    await is('events archived', archivedEvents, 50);
    await is('recordings', recordings, ['session-before']);

    await sh('dump');

    say('after the backup');
    await identify('bob', 'team');
    await identify('cid', 'team');
    await events('after', 30);
    await events('before', 10);
    await replay('session-after');
    const { key: later } = (await manage('catalogue', 'POST', `/projects/${PROJECT}/keys`)) as {
      key: string;
    };
    const knows = (service: 'flags', one: string) => async () =>
      (await call(`${url(service)}/v1/flags?distinct_id=x`, one)).status;
    await is('bob is on team', () => flagOf('bob'), true);
    await is('the later key at flags', knows('flags', later), 200);
    await is('events archived', archivedEvents, 80);
    await is('recordings', recordings, ['session-after', 'session-before']);

    say('flags’ database is lost');
    await stop('flags');
    await psql('postgres', 'drop database flags');
    await sh('restore', { service: 'flags' });
    await sh('replica', { service: 'flags' });
    await sh('reset', { group: 'flags.user-state' });
    await start('flags');
    await is('ada is on team', () => flagOf('ada'), true);
    await is('bob is on team', () => flagOf('bob'), true);
    await is('cid is on team', () => flagOf('cid'), true);
    await is('the later key at flags', knows('flags', later), 200);

    say('ingestion’s database is lost');
    await stop('ingestion');
    await psql('postgres', 'drop database ingestion');
    await sh('restore', { service: 'ingestion' });
    await sh('replica', { service: 'ingestion' });
    await sh('reset', { group: 'ingestion.replay-archive' });
    await start('ingestion');
    await is('recordings', recordings, ['session-after', 'session-before']);
    await is('session-after plays', () => playable('session-after'), 200);
    await is('an event of after the backup', () => state('after-1'), 'not_seen');
    await events('later', 20);
    await is('a later event', () => state('later-1'), 'archived');
    await is('rows of events that were sent once', () => countRows(join(objects, 'events')), 100);

    say('messenger’s and collaboration’s databases are lost');
    await stop('messenger', 'collaboration');
    for (const service of ['messenger', 'collaboration'] as const) {
      await psql('postgres', `drop database ${service}`);
      await sh('restore', { service });
      await sh('replica', { service });
    }
    await start('messenger', 'collaboration');
    const { conversationId, token } = opened.body;
    await is(
      'the conversation',
      async () => (await call(`${url('messenger')}/v1/conversations/${conversationId}`, token)).status,
      200,
    );
    await is('the public link', async () => (await call(link, project.member)).body.token, linked.token);

    say('catalogue’s database is lost, and restored to before the later key');
    await stop(...SERVICES);
    await psql('postgres', 'drop database catalogue');
    await sh('restore', { service: 'catalogue' });
    await sh('revision');
    await sh('lose-topic');
    for (const service of SERVICES) if (service !== 'catalogue') await sh('replica', { service });
    await start(...SERVICES);
    await is('the key at flags', knows('flags', key), 200);
    await is('the later key at flags', knows('flags', later), 401);
    const { key: newest } = (await manage('catalogue', 'POST', `/projects/${PROJECT}/keys`)) as {
      key: string;
    };
    await is('a new key at flags', knows('flags', newest), 200);

    say('Kafka is lost');
    await stop(...SERVICES);
    await kafka.stop();
    const another = await startKafka();
    if (another === undefined) throw new Error('no Kafka');
    stops.push(another.stop);
    brokers = another.brokers.join(',');
    for (const service of SERVICES) if (service !== 'catalogue') await sh('replica', { service });
    await start(...SERVICES);
    await is('the key at flags', knows('flags', key), 200);
    await is('the newest key at flags', knows('flags', newest), 200);
    await is('bob is on team', () => flagOf('bob'), true);
    await identify('bob', 'pro');
    await is('bob is on team', () => flagOf('bob'), false);
    await events('anew', 10);
    await is('an event of the new log', () => state('anew-1'), 'archived');
    await is('rows of events that were sent once', () => countRows(join(objects, 'events')), 110);
    await replay('session-anew');
    await is('recordings', recordings, ['session-after', 'session-anew', 'session-before']);
    say('done');
  } finally {
    await Promise.all([...running.values()].map((instance) => instance.leave()));
    for (const one of stops.reverse()) await one().catch(() => undefined);
    await rm(folder, { recursive: true, force: true });
  }
}

async function expectStatus(status: number, send: () => Promise<{ status: number; body: unknown }>) {
  await eventually(
    async () => {
      const answer = await send();
      if (answer.status !== status) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`);
    },
    { withinMs: 60_000 },
  );
}

/** The shell blocks of the document by the name in the comment before each. */
async function commands(): Promise<Map<string, string>> {
  const text = await readFile(DOCUMENT, 'utf8');
  return new Map(
    [...text.matchAll(/<!-- trial: ([a-z-]+) -->\n+```sh\n(.+?)```/gs)].map(([, name = '', script = '']) => [
      name,
      script,
    ]),
  );
}
