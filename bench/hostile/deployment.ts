import { setTimeout as sleep } from 'node:timers/promises';
import { createDirectoryPublisher } from '@switchboard/directory/testing';
import { openKafkaLog } from '@switchboard/event-log';
import {
  eventually,
  freePort,
  type Program,
  processUsage,
  s3Env,
  startKafkaCluster,
  startRedis,
  startS3,
} from '@switchboard/testkit';
import { installed } from '../lib/backings.ts';
import { type CpuGroups, createCpuGroups } from '../lib/cpu-groups.ts';
import { HEAP_FLAGS, heapFlagsOf, openBenchHarness, profileFlags } from '../lib/harness.ts';
import { longestBlockMs } from '../lib/longest-block.ts';
import { createPeople, type Person, SIGN_IN_ORIGIN } from './people.ts';
import { type Pod, podsOf } from './pods.ts';
import type { Ports } from './ports.ts';
import { fillSupport, MEMBER } from './support.ts';

const PARTITIONS = 4;
const FLAG = { enabled: true, rolloutPercentage: 50, type: 'boolean' };
/** The CPUs of PostgreSQL, Kafka, Redis and S3 together: about the total that the chart requests for all services. */
const BACKINGS_CPUS = 2;
const IDLE_WITHIN_MS = 60_000;
/** CPU seconds per second. */
const IDLE_CPU_SECONDS = 0.15;

export const TENANT = { id: 'well-behaved', key: `pk_eu_${'a'.repeat(32)}` } as const;
/** A project with a key that the attackers know, since public keys are public. */
export const ABUSED = { id: 'abused', key: `pk_eu_${'b'.repeat(32)}` } as const;

const SERVICES = ['ingestion', 'archive', 'flags', 'messenger', 'identity'] as const;
type Name = (typeof SERVICES)[number];
const CONSUMING: ReadonlySet<string> = new Set(['archive', 'flags']);

export interface Usage {
  /** The peak resident memory in megabytes. */
  peakMb: number;
  cpuSeconds: number;
  /** Seconds for which the event loop was runnable and no core was free. */
  waitedSeconds: number;
  /** The longest block of the event loop, in milliseconds. */
  blockedMs: number;
}

export interface RunningPod extends Pod {
  program: Program;
}

export interface Deployment {
  urls: Record<Name, string>;
  ports: Ports;
  pods: readonly RunningPod[];
  /** The people of the tenant, who sign in. */
  people: readonly Person[];
  /** Undefined where CPU groups are not available. */
  groups: CpuGroups | undefined;
  /** Returns the usage of each pod since the last call. */
  usage(): Promise<{ pod: RunningPod; usage: Usage }[]>;
  /** Resolves once the consumers are idle, or after a minute. */
  consumersIdle(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts the pods of each service, one of each kind, on real backings, with two projects. */
export async function deploy(profile: string | undefined): Promise<Deployment> {
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const one of stops.toReversed()) await one();
  };
  const groups = await createCpuGroups('hostile');
  try {
    if (groups !== undefined) {
      stops.push(groups.remove);
      // From here on, this process starts the backings.
      await groups.put(process.pid, 'backings', BACKINGS_CPUS);
    }
    const kafka = installed('kafka', await startKafkaCluster({ brokers: 1 }));
    stops.push(kafka.stop);
    const redis = installed('redis', await startRedis());
    stops.push(redis.kill);
    const s3 = installed('s3', await startS3());
    stops.push(s3.stop);
    const mailPort = await freePort();
    const { harness, stop: stopHarness } = await openBenchHarness({
      durable: true,
      log: { kafka: kafka.brokers },
      env: {
        LOG_LEVEL: 'error',
        // The tenant's visitors and the attackers have different addresses.
        TRUSTED_PROXY_HOPS: '1',
        TOPIC_PARTITIONS: String(PARTITIONS),
        REDIS_URL: redis.url,
        SUPPORT_MAIL_DOMAIN: 'support.example',
        SUPPORT_MAIL_PORT: String(mailPort),
        ACCOUNT_SECRET: 'the account secret of a bench with 32 or more characters',
        ...s3Env(s3),
      },
    });
    stops.push(stopHarness);
    const log = openKafkaLog({ brokers: kafka.brokers, clientId: 'hostile' });
    const directory = await createDirectoryPublisher(log, { partitions: PARTITIONS });
    for (const { id, key } of [TENANT, ABUSED]) {
      // Retries, because a new topic is unknown for a moment.
      await eventually(() => directory.putProject({ id, companyId: id, name: id, key, members: [MEMBER] }));
    }
    await log.close();
    const start = async (pod: Pod): Promise<RunningPod> => {
      const program = await harness.spawn(pod.service, {
        env: {
          ROLES: pod.roles,
          ...(pod.service === 'identity' ? { AUTH_ISSUER: `${SIGN_IN_ORIGIN}/identity` } : {}),
        },
        flags: [...HEAP_FLAGS, ...heapFlagsOf(pod.memoryMib), ...profileFlags(profile)],
        output: 'inherit',
      });
      // Shares the cores as a node shares them among pods.
      await groups?.put(program.pid, pod.name.replace(' ', '-'), pod.cpus);
      return { ...pod, program };
    };
    const pods: RunningPod[] = [];
    // Sequential, because ingestion creates the topics that the others read.
    for (const pod of await podsOf(SERVICES)) pods.push(await start(pod));
    const serving = (name: Name) => {
      const found = pods.find(({ service, roles }) => service === name && roles.split(',').includes('http'));
      if (found === undefined) throw new Error(`The chart has no pod of ${name} that serves requests.`);
      return found.program;
    };
    for (const { id } of [TENANT, ABUSED]) {
      for (let number = 1; number <= 20; number++) {
        await eventually(async () => {
          const path = `/projects/${id}/flags/flag-${number}`;
          const { status, body } = await harness.manage('flags', 'PUT', path, FLAG);
          if (status >= 300) throw new Error(`${path}: ${status} ${JSON.stringify(body)}`);
        });
      }
    }
    const mailAddress = await fillSupport(harness, ABUSED.id);
    const people = await createPeople(harness, serving('identity').url);
    const meters = pods.map((pod) => ({ pod, meter: meterOf(pod.program) }));
    return {
      pods,
      people,
      groups,
      urls: each((name) => serving(name).url),
      ports: {
        ...each((name) => serving(name).port),
        mail: mailPort,
        mailAddress,
        memberToken: await harness.mint({ sub: MEMBER }),
      },
      usage: () => Promise.all(meters.map(async ({ pod, meter }) => ({ pod, usage: await meter.read() }))),
      consumersIdle: () =>
        idle(pods.flatMap(({ service, program }) => (CONSUMING.has(service) ? [program] : []))),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function meterOf(program: Program) {
  const usage = processUsage(program.pid);
  let before = { cpuSeconds: 0, waitedSeconds: 0 };
  return {
    async read(): Promise<Usage> {
      const [peakMb, cpuSeconds, waitedSeconds] = await Promise.all([
        usage.peakMb(),
        usage.cpuSeconds(),
        usage.waitedSeconds(),
      ]);
      const since = {
        cpuSeconds: cpuSeconds - before.cpuSeconds,
        waitedSeconds: waitedSeconds - before.waitedSeconds,
      };
      before = { cpuSeconds, waitedSeconds };
      await usage.resetPeak();
      return { peakMb, ...since, blockedMs: await longestBlockMs(program) };
    },
  };
}

/** Waits until consumers use little CPU. Lag shows nothing, because the archive buffers events for minutes. */
async function idle(consumers: readonly Program[]): Promise<void> {
  const cpuSeconds = async () => {
    const used = await Promise.all(consumers.map(({ pid }) => processUsage(pid).cpuSeconds()));
    return used.reduce((sum, one) => sum + one, 0);
  };
  const deadline = performance.now() + IDLE_WITHIN_MS;
  for (let before = await cpuSeconds(); performance.now() < deadline; ) {
    await sleep(1_000);
    const after = await cpuSeconds();
    if (after - before < IDLE_CPU_SECONDS) return;
    before = after;
  }
}

function each<T>(of: (name: Name) => T): Record<Name, T> {
  return {
    ingestion: of('ingestion'),
    archive: of('archive'),
    flags: of('flags'),
    messenger: of('messenger'),
    identity: of('identity'),
  };
}
