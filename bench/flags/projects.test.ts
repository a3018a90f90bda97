import { eventually, type Harness, openHarness, type Program } from '@switchboard/testkit';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEAP_FLAGS, heapFlagsOf } from '../lib/harness.ts';
import { askProject, fillProjects, makeDirectory } from './projects.ts';

/** The short form of `bench flags --only projects`. */

/** The number of projects, of 170 kB each: more than fits in the heap. */
const PROJECTS = 600;

describe('a process with the heap of a 256 MiB pod', () => {
  let harness: Harness;
  let service: Program;
  beforeAll(async () => {
    harness = await openHarness({ env: { TOPIC_PARTITIONS: '4', LOG_LEVEL: 'warn' } });
    await makeDirectory(harness);
    service = await harness.spawn('flags', { flags: [...HEAP_FLAGS, ...heapFlagsOf(256)] });
    await fillProjects(harness, PROJECTS);
    await eventually(() => askProject(service, PROJECTS - 1), { withinMs: 30_000 });
  });
  afterAll(() => harness?.stop());

  it('answers for more projects than fit in memory, and keeps running', async () => {
    const projects = Array.from({ length: PROJECTS }, (_, project) => project);
    const ask = (project: number) =>
      eventually(() => askProject(service, project), { withinMs: 60_000, while: () => service.isRunning });
    await pMap(projects, ask, { concurrency: 10 }).catch((error) => {
      throw new Error(service.lines.join('\n').slice(-2_000), { cause: error });
    });
    expect(service.isRunning).toBe(true);
  });
});
