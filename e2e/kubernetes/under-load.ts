import { setTimeout as sleep } from 'node:timers/promises';
import { archivedEvents } from '../upgrade/archived.ts';
import { prepareLoad, startLoad } from '../upgrade/load.ts';
import { createRequestCounts } from '../upgrade/request-counts.ts';
import { type Verification, verify } from '../upgrade/verify.ts';
import type { Client } from './cluster.ts';
import { clusterIp } from './pods.ts';

/** Half the rate of the rolling upgrade of processes, because all pods share this machine's cores. */
const INTENSITY = 0.5;
/** The delay after a change, so that the replacement gets load. */
const SETTLE_MS = 2_000;

interface UnderLoad {
  /** Makes a change. Resolves with the requests that were sent during it and the failures among them. */
  during(change: () => Promise<unknown>): Promise<{ requests: number; failures: string[] }>;
  /** Stops the load and verifies everything that was accepted. */
  finish(): Promise<Verification>;
}

/** Sends requests of every kind to the Service of the gateway until `finish` is called. */
export async function underLoad({ project, call, manage }: Client): Promise<UnderLoad> {
  const linkToken = await prepareLoad(manage, call, project);
  const counts = createRequestCounts();
  const readShared = (token: string) => call('getSharedReport', { params: { token } });
  const load = await startLoad({ call, counts, intensity: INTENSITY, linkToken, readShared });
  const sent = () => Object.values(counts.totals()).reduce((sum, count) => sum + count, 0);
  await sleep(SETTLE_MS);
  return {
    async during(change) {
      const before = { requests: sent(), failures: counts.failures().length };
      await change();
      await sleep(SETTLE_MS);
      return { requests: sent() - before.requests, failures: counts.failures().slice(before.failures) };
    },
    async finish() {
      await load.stop();
      const objects = {
        endpoint: `http://${await clusterIp('backings', 's3')}:7070`,
        accessKey: 'switchboard',
        secretKey: 'dev-only-s3',
        bucket: 'switchboard',
        region: 'eu-central-1',
      };
      const database = `postgres://archive:dev-only-archive@${await clusterIp('backings', 'postgres')}/archive`;
      const archived = await archivedEvents(objects, database, load.accepted.eventIds);
      return await verify({
        stored: archived,
        archived,
        project,
        call,
        manage,
        accepted: load.accepted,
        visitors: [],
      });
    },
  };
}
