import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceName } from '@switchboard/contracts';
import { apiClient } from '../harness/call.ts';
import { type Deployment, deploy, type Part } from '../harness/deployment.ts';
import type { Instance } from '../harness/instances.ts';
import { createProject, managementClient } from '../harness/project.ts';
import { storedEvents } from '../harness/stored.ts';
import { archivedEvents } from './archived.ts';
import { follow } from './live.ts';
import { prepareLoad, startLoad } from './load.ts';
import { isNextVersion, writeNextVersion } from './next-version.ts';
import { createRequestCounts } from './request-counts.ts';
import { type Verification, verify } from './verify.ts';

export interface RollingUpgrade extends Verification {
  requests: Record<string, number>;
  failures: string[];
  /** Warnings and errors in the logs of gateway and services, which explain why requests failed. */
  logged: string[];
  /** The close codes of the live sockets. */
  socketCodes: number[];
  exitCodes: (number | null)[];
  /** The services with a database that was migrated while the previous version was still running. */
  migratedWhileServing: ServiceName[];
}

const SERVICES: ServiceName[] = ['catalogue', 'collaboration', 'messenger', 'flags', 'ingestion', 'archive'];

/** Two instances of everything. */
export const PARTS: Part[] = [
  { service: 'catalogue', instances: 2 },
  { service: 'collaboration', instances: 2 },
  { service: 'messenger', instances: 2 },
  { service: 'flags', roles: 'http', instances: 2 },
  { service: 'flags', roles: 'user-state', instances: 2 },
  { service: 'ingestion', instances: 2 },
  { service: 'archive', roles: 'events,replays', instances: 2 },
];

/** The time between restarts, so that restarted instances get load. */
const SETTLE_MS = 1_500;

export function deployInPairs(): Promise<Deployment | undefined> {
  return deploy({
    region: 'eu',
    parts: PARTS,
    env: {
      RATE_LIMITS_MULTIPLIER: '10000',
      ARCHIVE_FILE_SECONDS: '3',
      // Longer than the default, because the database may respond late on a busy machine.
      STATE_TIMEOUT_MS: '10000',
    },
  });
}

/**
 * Puts a deployment under load, restarts the first instances of all parts and then the second ones as their next
 * version, and reports failed requests and lost or duplicated data. The first restart of each service applies the
 * next version's migration.
 */
export async function runRollingUpgrade(deployment: Deployment): Promise<RollingUpgrade> {
  const { gateway, instances, backings } = deployment;
  const manage = await managementClient(deployment);
  const project = await createProject(deployment, { id: 'web-shop', region: 'eu' });
  const call = apiClient(gateway, project);
  const linkToken = await prepareLoad(manage, call, project);

  const counts = createRequestCounts();
  let reader = 0;
  const load = await startLoad({
    call,
    counts,
    intensity: 1,
    linkToken,
    readShared: (token) => readFrom(`127.0.0.${2 + (reader++ % 200)}`, gateway.api, token),
  });
  const visitors = load.accepted.conversations.map((conversation) => ({
    conversation,
    live: follow({ api: gateway.api, key: project.key, call, counts }, conversation),
  }));

  const next = join(backings.folder, 'next');
  await writeNextVersion(next, SERVICES, backings.postgres.url);
  const migratedWhileServing: ServiceName[] = [];
  const exitCodes: (number | null)[] = [];
  const logged: string[] = [];
  const restart = async (instance: Instance) => {
    exitCodes.push(await instance.stop());
    logged.push(...warningsOf(instance));
    await instance.restart({ folder: next });
  };
  await sleep(SETTLE_MS);
  for (const nth of [0, 1]) {
    await Promise.all(
      PARTS.flatMap((_, part) => instances.slice(2 * part + nth, 2 * part + nth + 1)).map(restart),
    );
    await sleep(SETTLE_MS);
    if (nth > 0) continue;
    for (const service of SERVICES)
      if (await isNextVersion(backings.postgres.url(service))) migratedWhileServing.push(service);
  }
  await sleep(SETTLE_MS);
  await load.stop();
  await sleep(SETTLE_MS);
  await Promise.all(visitors.map(({ live }) => live.stop()));

  return {
    ...(await verify({
      stored: await storedEvents(backings.kafka.brokers),
      archived: await archivedEvents(backings.s3, backings.postgres.url('archive'), load.accepted.eventIds),
      project,
      call,
      manage,
      accepted: load.accepted,
      visitors,
    })),
    requests: counts.totals(),
    failures: counts.failures(),
    logged: [...logged, ...instances.flatMap(warningsOf), ...gateway.lines],
    socketCodes: visitors.flatMap(({ live }) => live.codes()),
    exitCodes,
    migratedWhileServing,
  };
}

/** Returns the warnings and errors of an instance, prefixed with its name. */
function warningsOf({ name, lines }: Instance): string[] {
  return lines.filter((line) => /"level":"(warn|error|fatal)"/.test(line)).map((line) => `${name}: ${line}`);
}

/** Reads the shared report from another local address. */
async function readFrom(localAddress: string, api: string, token: string) {
  const { port } = new URL(api);
  const path = `/v1/shared-reports/${token}`;
  return await new Promise<{ status: number; body: unknown }>((resolve, reject) => {
    const request = get({ host: '127.0.0.1', port, path, localAddress });
    request.on('error', reject).on('response', async (response) => {
      resolve({ status: response.statusCode ?? 0, body: await text(response) });
    });
  });
}
