import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { openDatabase } from '@switchboard/database';
import { createDirectoryPublisher, testMember } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { call, eventually, type Program, spawnProgram, startRedis } from '@switchboard/testkit';
import pMap from 'p-map';
import { HEAP_FLAGS, profileFlags, startRig } from '../lib/rig.ts';
import { UNLIMITED_MESSENGER } from '../lib/unlimited.ts';
import { LOOP_DELAY_FLAGS, longestDelayMs } from './loop-delay.ts';

export const PROJECT_ID = 'bench';
export const PROJECT_KEY = `pk_eu_${'a'.repeat(32)}`;
const COMPANY_ID = 'company';
const AUTHORS = 50;

type ServiceName = 'catalogue' | 'collaboration' | 'messenger';

export interface Deployment {
  services: Record<ServiceName, Program>;
  floor: Program;
  /** Access tokens of members of the company. */
  tokens: string[];
  manage(service: ServiceName, method: string, path: string, body: unknown): Promise<void>;
  /** Resets the counters of rate limits. */
  resetLimits(): Promise<void>;
  longestDelayMs(program: Program): Promise<number>;
  stop(): Promise<void>;
}

/** Starts each measured service as a process, with one project that has reports with these ids. */
export async function deploy(reports: readonly string[], profile: string | undefined): Promise<Deployment> {
  const redis = await startRedis();
  if (redis === undefined) throw new Error('Redis is not installed: run deploy/backings/install.sh redis.');
  const { rig, stop } = await startRig({
    durable: true,
    env: {
      ...UNLIMITED_MESSENGER,
      REDIS_URL: redis.url,
      TOPIC_PARTITIONS: '1',
      TRUSTED_PROXY_HOPS: '1',
    },
  });
  const env = { LOOP_DELAY_FOLDER: rig.folder };
  const log = openPostgresLog({ url: rig.logUrl });
  rig.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const members = Array.from({ length: AUTHORS }, (_, index) => `person-${index}`);
  await directory.putProject({ id: PROJECT_ID, companyId: COMPANY_ID, key: PROJECT_KEY, members });
  await directory.put('report', ...reports.map((id) => ({ projectId: PROJECT_ID, id, name: id })));
  await directory.put('member', testMember(COMPANY_ID, 'operator'));
  const flags = [...HEAP_FLAGS, ...LOOP_DELAY_FLAGS];
  const spawn = (name: ServiceName) =>
    rig.spawn(name, { flags: [...flags, ...profileFlags(profile)], env, output: 'inherit' });
  const services = {
    catalogue: await spawn('catalogue'),
    collaboration: await spawn('collaboration'),
    messenger: await spawn('messenger'),
  };
  const floor = await spawnProgram({
    command: ['node', ...flags, join(import.meta.dirname, 'floor.ts')],
    env,
    ready: '/2',
    output: 'inherit',
  });
  rig.defer(() => floor.stop());
  await fillThreads(await rig.databaseUrl('collaboration'));
  return {
    services,
    floor,
    tokens: await Promise.all(members.map((sub) => rig.mint({ sub }))),
    manage: (service, method, path, body) =>
      eventually(async () => {
        const { status } = await rig.manage(service, method, path, body);
        if (status >= 300) throw new Error(`${method} ${path} got status ${status}`);
      }),
    async resetLimits() {
      const { port, hostname } = new URL(redis.url);
      const socket = connect(Number(port), hostname);
      socket.write('FLUSHALL\r\nQUIT\r\n');
      await text(socket);
    },
    longestDelayMs: (program) => longestDelayMs(rig.folder, program.pid),
    async stop() {
      await stop();
      await redis.kill();
    },
  };
}

/** Fills the report `threads` with 500 threads of 20 comments. Every second comment has two reactions. */
async function fillThreads(url: string): Promise<void> {
  const database = openDatabase({ url, applicationName: 'bench', statementTimeoutMs: 60_000 });
  await database.sql.unsafe(`
    insert into threads (id, project_id, report_id, created_by_sub, created_at)
      select 'thr_' || md5(i::text), '${PROJECT_ID}', 'threads', 'person-0',
        timestamptz '2026-03-01Z' + i * interval '1 second'
      from generate_series(1, 500) i;
    insert into comments (id, thread_id, position, body, mentions, author_sub, created_at)
      select 'cmt_' || md5(t.id || p), t.id, p, repeat('words ', 20), '{}', 'person-' || p % ${AUTHORS},
        t.created_at + p * interval '1.234 second'
      from threads t, generate_series(1, 20) p;
    insert into reactions (comment_id, emoji, sub)
      select id, '👍', sub from comments, unnest(array['person-0', 'person-1']) sub where position % 2 = 0;
    analyze`);
  await database.close();
}

/** Turns on the public link of a report and records a run of it. Returns the token of the link. */
export async function share({ services, tokens, manage }: Deployment, report: string, content: unknown) {
  await manage('collaboration', 'POST', `/projects/${PROJECT_ID}/reports/${report}/runs`, {
    report: content,
  });
  const path = `/v1/projects/${PROJECT_ID}/reports/${report}/public-link`;
  const expiresOn = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);
  const { status, body } = await call('PUT', services.collaboration.url + path, {
    token: tokens[0] ?? '',
    body: { expiresOn },
  });
  if (status !== 200) throw new Error(`the link of ${report} got status ${status}`);
  return String(body.token);
}

export const CONVERSATION_TURNS = 100;

/** Creates a conversation of 100 turns. Returns the path and the headers for reading it. */
export async function converse({ services: { messenger } }: Deployment) {
  const headers: Record<string, string> = { Authorization: `Bearer ${PROJECT_KEY}` };
  const opened = await call('POST', `${messenger.url}/v1/conversations`, {
    headers,
    body: { distinctId: 'bench' },
  });
  const path = `/v1/conversations/${opened.body.conversationId}`;
  headers['X-Service-Conversation-Token'] = opened.body.token;
  const body = { body: 'I was charged twice for the same order. Can you look into it? '.repeat(5) };
  const turns = Array.from({ length: CONVERSATION_TURNS }, (_, index) => index);
  await pMap(
    turns,
    async () => {
      const { status } = await call('POST', `${messenger.url}${path}/turns`, { headers, body });
      if (status !== 201) throw new Error(`a turn got status ${status}`);
    },
    { concurrency: 4 },
  );
  return { path, headers };
}
