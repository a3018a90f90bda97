import { get } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { putMessengerSettings, type ServiceName } from '@switchboard/contracts';
import { z } from 'zod';
import { calling } from '../harness/call.ts';
import { type Deployment, deploy, type Part } from '../harness/deployment.ts';
import type { Instance } from '../harness/instances.ts';
import { createProject, managing } from '../harness/project.ts';
import { follow } from './live.ts';
import { startLoad } from './load.ts';
import { isNextVersion, writeNextVersion } from './next-version.ts';
import { createRequestCounts } from './request-counts.ts';
import { type Verification, verify } from './verify.ts';

export interface TrialOptions {
  /** Each round restarts every instance. */
  rounds: number;
  /** How many of them leave at a time, each of another part. */
  atOnce: number;
  /** Times the usual rate of requests. */
  intensity: number;
  say?(line: string): void;
}

export interface Trial extends Verification {
  requests: Record<string, number>;
  failures: string[];
  /** Codes that live channels were closed with. */
  socketCodes: number[];
  exitCodes: (number | null)[];
  /** Services whose database the next version had changed while the one before still served. */
  migratedWhileServing: ServiceName[];
}

const SERVICES: ServiceName[] = ['catalogue', 'collaboration', 'messenger', 'flags', 'ingestion', 'archive'];

/** Two of everything. */
export const PARTS: Part[] = [
  { service: 'catalogue', instances: 2 },
  { service: 'collaboration', instances: 2 },
  { service: 'messenger', instances: 2 },
  { service: 'flags', roles: 'http', instances: 2 },
  { service: 'flags', roles: 'user-state', instances: 2 },
  { service: 'ingestion', instances: 2 },
  { service: 'archive', roles: 'events,replays', instances: 2 },
];

/** A moment between restarts, for load on what has just come back. */
const SETTLE_MS = 1_500;

export function deployTwoOfEverything(): Promise<Deployment | undefined> {
  return deploy({
    region: 'eu',
    parts: PARTS,
    env: {
      TURNS_PER_CONVERSATION_PER_MINUTE: '100000',
      ARCHIVE_FILE_SECONDS: '3',
      // Time-outs are for a database that is away; here the machine may only be busy.
      STATE_TIMEOUT_MS: '10000',
    },
  });
}

/**
 * Puts a deployment under load of every kind, and restarts each instance of it in turn: first as it is, or as its
 * next version with a migration of its own when it is the first of its part. Says what failed and what is missing.
 */
export async function runTrial(deployment: Deployment, options: TrialOptions): Promise<Trial> {
  const { rounds, atOnce, intensity, say = () => undefined } = options;
  const { gateway, instances, backings } = deployment;
  const manage = await managing(deployment);
  const project = await createProject(deployment, { id: 'web-shop', region: 'eu' });
  const call = calling(gateway, project);
  const report = `/projects/${project.id}/reports/${project.reportId}`;
  await manage('collaboration', 'POST', `${report}/runs`, { report: { rows: [{ signUps: 42 }] } });
  await manage('messenger', 'PUT', `/projects/${project.id}/team/grace`, { name: 'Grace' });
  await manage('messenger', 'PUT', `/projects/${project.id}/messenger/config`, {
    ...putMessengerSettings.request.body.content['application/json'].example,
    team: [],
  });
  await manage('flags', 'PUT', `/projects/${project.id}/flags/beta`, {
    enabled: true,
    rolloutPercentage: 100,
  });
  const link = await call('putPublicLink', { body: { expiresOn: inDays(30) } });
  const { token: linkToken } = z.object({ token: z.string() }).parse(link.body);

  const counts = createRequestCounts();
  let reader = 0;
  const load = await startLoad({
    call,
    counts,
    intensity,
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
  const restart = async (instance: Instance) => {
    say(`${instance.name} leaves`);
    exitCodes.push(await instance.stop());
    await instance.restart({ folder: next });
    say(`${instance.name} is back`);
  };
  await sleep(SETTLE_MS);
  for (let round = 0; round < rounds; round++) {
    for (const nth of [0, 1]) {
      const ofThisTurn = PARTS.flatMap((_, part) => instances.slice(2 * part + nth, 2 * part + nth + 1));
      for (let i = 0; i < ofThisTurn.length; i += atOnce) {
        await Promise.all(ofThisTurn.slice(i, i + atOnce).map(restart));
        await sleep(SETTLE_MS);
      }
      if (round > 0 || nth > 0) continue;
      for (const service of SERVICES)
        if (await isNextVersion(backings.postgres.url(service))) migratedWhileServing.push(service);
    }
  }
  await sleep(SETTLE_MS);
  await load.stop();
  await sleep(SETTLE_MS);
  await Promise.all(visitors.map(({ live }) => live.stop()));

  return {
    ...(await verify({ deployment, project, call, manage, accepted: load.accepted, visitors })),
    requests: counts.totals(),
    failures: counts.failures(),
    socketCodes: visitors.flatMap(({ live }) => live.codes()),
    exitCodes,
    migratedWhileServing,
  };
}

/** The shared report as somebody at another address reads it. */
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

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
