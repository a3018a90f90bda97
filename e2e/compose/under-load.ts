import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openObjectStore } from '@switchboard/object-store';
import { readArchive, untilArchived } from '../upgrade/archived.ts';
import { startUnderLoad, type UnderLoad } from '../upgrade/under-load.ts';
import { compose, IS_CLUSTER, inside } from './engine.ts';
import { newProject } from './published.ts';

/** Sends requests of every kind through the gateway until `finish` is called. */
export async function underLoad(projectId: string): Promise<UnderLoad> {
  return await startUnderLoad(await newProject(projectId), async (accepted) => {
    const found = await untilArchived(accepted, copyOfArchive, 180_000);
    // Ignores the events of other tests, which have other names.
    return new Map([...found].filter(([id]) => id.startsWith('event-')));
  });
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
