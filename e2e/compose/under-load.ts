import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openObjectStore } from '@switchboard/object-store';
import { eventually } from '@switchboard/testkit';
import { expect } from 'vitest';
import { readArchive } from '../upgrade/archived.ts';
import { type Accepted, prepareLoad, startLoad } from '../upgrade/load.ts';
import { createRequestCounts } from '../upgrade/request-counts.ts';
import { type Verification, verify } from '../upgrade/verify.ts';
import { compose, IS_CLUSTER, inside } from './engine.ts';
import { newProject } from './published.ts';

/** Half the rate of the rolling upgrade of processes, because the containers share few cores. */
const INTENSITY = 0.5;
/** The delay after a change, so that the replacement gets load. */
const SETTLE_MS = 2_000;

interface UnderLoad {
  /** Makes a change. Resolves with the requests that were sent during it and the failures among them. */
  during(change: () => Promise<unknown>): Promise<{ requests: number; failures: string[] }>;
  /** Resolves once no request fails. */
  untilAllSucceed(): Promise<void>;
  /** Stops the load and verifies everything that was accepted. */
  finish(): Promise<Verification>;
}

/** Sends requests of every kind through the gateway until `finish` is called. */
export async function underLoad(projectId: string): Promise<UnderLoad> {
  const { project, call, manage } = await newProject(projectId);
  const linkToken = await prepareLoad(manage, call, project);
  const counts = createRequestCounts();
  const readShared = (token: string) => call('getSharedReport', { params: { token } });
  const load = await startLoad({ call, counts, intensity: INTENSITY, linkToken, readShared });
  const sent = () => Object.values(counts.totals()).reduce((sum, count) => sum + count, 0);
  await sleep(SETTLE_MS);
  const during: UnderLoad['during'] = async (change) => {
    const before = { requests: sent(), failures: counts.failures().length };
    await change();
    await sleep(SETTLE_MS);
    return { requests: sent() - before.requests, failures: counts.failures().slice(before.failures) };
  };
  return {
    during,
    untilAllSucceed: () =>
      eventually(async () => expect((await during(() => Promise.resolve())).failures).toEqual([]), {
        withinMs: 120_000,
      }),
    async finish() {
      await load.stop();
      const archived = await archivedEvents(load.accepted);
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

/** Counts each event id in the archive, after waiting for the accepted ones. */
async function archivedEvents({ eventIds }: Accepted): Promise<Map<string, number>> {
  let found = new Map<string, number>();
  await eventually(
    async () => {
      found = await copyOfArchive();
      const missing = eventIds.filter((id) => !found.has(id)).length;
      if (missing > 0) throw new Error(`${missing} events are not archived yet`);
    },
    { withinMs: 180_000 },
  ).catch(() => undefined);
  // Ignores the events of other tests, which have other names.
  return new Map([...found].filter(([id]) => id.startsWith('event-')));
}

/** Reads the files in the volume of the object store. */
async function copyOfArchive(): Promise<Map<string, number>> {
  const folder = await mkdtemp(join(tmpdir(), 'switchboard-archive-'));
  const objects = openObjectStore({ folder: join(folder, 'switchboard') });
  const known = await knownFiles();
  try {
    await compose('cp', 's3:/data/switchboard', folder);
    return await readArchive(objects, known);
  } finally {
    objects.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the archive's table of files: for each file, whether it is read. */
async function knownFiles(): Promise<Map<string, boolean>> {
  const url = 'postgres://archive:dev-only-archive@127.0.0.1/archive';
  const sql = 'select key, replaced_at is null and deleted_at is null from event_files';
  // In a cluster, the replica has taken over.
  const { output } = await inside(
    IS_CLUSTER ? 'postgres-2' : 'postgres',
    'psql',
    url,
    '-AtF',
    ' ',
    '--command',
    sql,
  );
  const rows = output.split('\n').filter((line) => line.includes(' '));
  return new Map(rows.map((line) => [line.split(' ')[0] ?? '', line.endsWith(' t')]));
}
