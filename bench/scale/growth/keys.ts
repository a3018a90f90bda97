import { fork } from 'node:child_process';
import { join } from 'node:path';
import { eventBodies } from '../../ingestion/bodies.ts';
import { ask, NUMBER } from './ask.ts';
import type { Found, Wanted } from './directory-process.ts';
import { type Dimension, sizesFrom } from './path.ts';
import { addProjects, digitsOf, keyHeaders } from './projects.ts';
import { startSite } from './site.ts';

/** Varies the number of projects with one key each, in ingestion and in a replica that has every key in memory. */
export async function keys(): Promise<Dimension> {
  const { harness, service, sql, stop } = await startSite('ingestion');
  const [body = ''] = eventBodies(1, 1);
  const event = { path: '/v1/events', body };
  const env = { DATABASE_URL: await harness.databaseUrl('ingestion'), LOG_URL: harness.logUrl };
  const child = fork(join(import.meta.dirname, 'directory-process.ts'), {
    env: { ...process.env, ...env },
    execArgv: ['--expose-gc'],
  });
  harness.defer(async () => child.kill());
  let made = 0;
  let memory: Promise<Found> | undefined;
  const inMemory = (size: number): Promise<Found> => {
    const wanted: Wanted = { size };
    memory = new Promise((resolve, reject) => {
      child.once('message', (found) => resolve(found as Found));
      child.once('exit', (code) => reject(new Error(`the replica ended with ${code}`)));
    });
    child.send(wanted);
    return memory;
  };
  return {
    of: 'projects and keys',
    sizes: sizesFrom(1_000),
    async fill(size) {
      await addProjects(sql, made, size);
      made = size;
    },
    paths: [
      {
        name: 'event with a new key',
        bound: 'constant',
        unit: 'ms',
        measure: (size) => ask(service, { ...event, headers: keyHeaders(NUMBER) }, Math.floor(size / 2)),
      },
      {
        name: 'event with a known key',
        bound: 'constant',
        unit: 'ms',
        measure: () => ask(service, { ...event, headers: keyHeaders(digitsOf(0)) }),
      },
      {
        name: 'key from memory',
        bound: 'constant',
        unit: 'us',
        measure: async (size) => (await inMemory(size)).lookUpMicros,
      },
      {
        name: 'keys in memory',
        bound: 'linear',
        unit: 'MB',
        measure: async () => (await memory)?.heldMb ?? Number.NaN,
      },
    ],
    stop,
  };
}
