import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createDirectoryPublisher, testMember } from '@switchboard/directory/testing';
import { openPostgresLog } from '@switchboard/event-log';
import { eventually, type Program, startRedis } from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { HEAP_FLAGS, openBenchHarness, profileFlags } from '../lib/harness.ts';
import { PROJECT_ID, PROJECT_KEY } from '../lib/project.ts';
import { type ReadyBytes, startReadyBytes } from '../lib/ready-bytes.ts';
import { UNLIMITED_MESSENGER } from '../lib/unlimited.ts';
import { LOOP_DELAY_FLAGS, longestDelayMs } from './loop-delay.ts';

const COMPANY_ID = 'company';
export const AUTHORS = 50;

type ServiceName = 'collaboration' | 'messenger';

export interface Deployment {
  messenger: Program;
  collaboration: Program;
  floor: ReadyBytes;
  /** Access tokens of members of the company. */
  tokens: string[];
  /** Starts another instance of messenger. */
  startMessenger(): Promise<Program>;
  databaseUrl(service: ServiceName): Promise<string>;
  manage(service: ServiceName, method: string, path: string, body: unknown): Promise<void>;
  /** Resets the counters of rate limits. */
  resetLimits(): Promise<void>;
  longestDelayMs(program: Program): Promise<number>;
  stop(): Promise<void>;
}

interface Options {
  /** Whether PostgreSQL syncs commits to disk. */
  durable: boolean;
  /** The ids of the project's reports. */
  reports: readonly string[];
  profile: string | undefined;
}

/** Starts messenger and collaboration as processes, with one project. PostgreSQL is also their event log. */
export async function deploy({ durable, reports, profile }: Options): Promise<Deployment> {
  const redis = installed('redis', await startRedis());
  const { harness, stop } = await openBenchHarness({
    durable,
    env: {
      ...UNLIMITED_MESSENGER,
      REDIS_URL: redis.url,
      TOPIC_PARTITIONS: '1',
      TRUSTED_PROXY_HOPS: '1',
    },
  });
  const env = { LOOP_DELAY_FOLDER: harness.folder };
  const log = openPostgresLog({ url: harness.logUrl });
  harness.defer(() => log.close());
  const directory = await createDirectoryPublisher(log);
  const members = Array.from({ length: AUTHORS }, (_, index) => `person-${index}`);
  await directory.putProject({ id: PROJECT_ID, companyId: COMPANY_ID, key: PROJECT_KEY, members });
  await directory.put('report', ...reports.map((id) => ({ projectId: PROJECT_ID, id, name: id })));
  await directory.put('member', testMember(COMPANY_ID, 'operator'));
  const agents = members.map((sub) => testMember(COMPANY_ID, sub, { role: 'support' }));
  await directory.put('member', ...agents);
  const flags = [...HEAP_FLAGS, ...LOOP_DELAY_FLAGS];
  const spawn = (name: ServiceName) =>
    harness.spawn(name, { flags: [...flags, ...profileFlags(profile)], env, output: 'inherit' });
  const [messenger, collaboration] = [await spawn('messenger'), await spawn('collaboration')];
  const floor = await startReadyBytes(flags, env);
  harness.defer(() => floor.server.stop());
  return {
    messenger,
    collaboration,
    floor,
    tokens: await Promise.all(members.map((sub) => harness.mint({ sub }))),
    startMessenger: () => spawn('messenger'),
    databaseUrl: harness.databaseUrl,
    manage: (service, method, path, body) =>
      eventually(async () => {
        const { status } = await harness.manage(service, method, path, body);
        if (status >= 300) throw new Error(`${method} ${path} got status ${status}`);
      }),
    async resetLimits() {
      const { port, hostname } = new URL(redis.url);
      const socket = connect(Number(port), hostname);
      socket.write('FLUSHALL\r\nQUIT\r\n');
      await text(socket);
    },
    longestDelayMs: (program) => longestDelayMs(harness.folder, program.pid),
    async stop() {
      await stop();
      await redis.kill();
    },
  };
}
