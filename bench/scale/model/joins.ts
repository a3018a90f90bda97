import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PEOPLE_TOPIC } from '@switchboard/contracts';
import { openKafkaLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import kafkajs from 'kafkajs';
import type { Deployment, Service } from './deployment.ts';

/** The services with a replica of the topic `people`. */
const REPLICAS = ['analytics', 'archive', 'messenger', 'catalogue'] as const satisfies Service[];
const WITHIN_MS = 3_600_000;

/** The measurements of the topic `people`. */
export interface Joins {
  /** The bytes of the topic on the broker's disk. */
  topicBytes: number;
  /** How long a replica took to read the topic from the start, from the start of its process. */
  restartSeconds: number;
}

const groupOf = (service: Service) => `${service}.person-ids`;

/** Resolves once flags has published every joined id, and every replica has it. */
export async function joinsApplied({ harness, sql }: Deployment): Promise<void> {
  await eventually(
    async () => {
      const left = await sql('flags')`select 1 from unpublished_people limit 1`;
      if (left.length > 0) throw new Error('joined ids are not published yet');
    },
    { withinMs: WITHIN_MS },
  );
  await replicated(brokersOf(harness), REPLICAS);
}

/** Measures the topic `people`, and how long analytics takes to build its replica again. */
export async function measureJoins(deployment: Deployment, folder: string): Promise<Joins> {
  const { harness, sql } = deployment;
  const brokers = brokersOf(harness);
  const topicBytes = await bytesOf(join(folder, 'kafka'));
  const ids = async () => {
    const [row] = await sql('analytics')`select count(*)::int as count from person_ids`;
    return row?.['count'];
  };
  const before = await ids();
  await deployment.stopPod('analytics');
  await sql('analytics')`truncate person_ids`;
  const admin = new kafkajs.Kafka({ brokers, clientId: 'bench', logLevel: kafkajs.logLevel.NOTHING }).admin();
  await admin.connect();
  await eventually(() => admin.deleteGroups([groupOf('analytics')]), { withinMs: 60_000 });
  await admin.disconnect();
  const beganAt = performance.now();
  await deployment.startPod('analytics');
  await replicated(brokers, ['analytics']);
  const restartSeconds = (performance.now() - beganAt) / 1_000;
  const after = await ids();
  if (after !== before) throw new Error(`analytics has ${after} of ${before} joined ids`);
  return { topicBytes, restartSeconds };
}

function brokersOf({ logEnv }: Deployment['harness']): string[] {
  if (!('KAFKA_BROKERS' in logEnv)) throw new Error('the event log is not on Kafka');
  return logEnv.KAFKA_BROKERS.split(',');
}

/** Resolves once these services have read the whole topic. */
async function replicated(brokers: string[], services: readonly Service[]): Promise<void> {
  const log = openKafkaLog({ brokers, clientId: 'bench' });
  try {
    await eventually(
      async () => {
        for (const service of services) {
          const lags = await log.lag(groupOf(service), [PEOPLE_TOPIC]);
          if (lags.some(({ behind }) => behind > 0n)) throw new Error(`${service} has not read people yet`);
        }
      },
      { withinMs: WITHIN_MS },
    );
  } finally {
    await log.close();
  }
}

/** Returns the bytes of the records of the topic in a broker's folder. */
async function bytesOf(folder: string): Promise<number> {
  const files = await readdir(folder, { recursive: true, withFileTypes: true });
  const ofTopic = files.filter(
    // Indexes are allocated in advance.
    ({ name, parentPath }) => name.endsWith('.log') && new RegExp(`/${PEOPLE_TOPIC}-\\d+$`).test(parentPath),
  );
  const sizes = await Promise.all(
    ofTopic.map(async (file) => (await stat(join(file.parentPath, file.name))).size),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
