import { eventually, type Harness, harness, type Program } from '@switchboard/testkit';
import pMap from 'p-map';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HEAP_FLAGS, heapFlagsOf } from '../lib/rig.ts';
import { askProject, fillProjects, makeDirectory } from './projects.ts';

/** The short form of `bench flags --only projects`. */

/** The number of projects, of 170 kB each: more than fits in the heap. */
const PROJECTS = 600;

describe('a process with the heap of a 256 MiB pod', () => {
  let rig: Harness;
  let service: Program;
  beforeAll(async () => {
    rig = await harness({ env: { TOPIC_PARTITIONS: '4', LOG_LEVEL: 'warn' } });
    await makeDirectory(rig);
    service = await rig.spawn('flags', { flags: [...HEAP_FLAGS, ...heapFlagsOf(256)] });
    await fillProjects(rig, PROJECTS);
    await eventually(() => askProject(service, PROJECTS - 1), { withinMs: 30_000 });
  }, 90_000);
  afterAll(() => rig?.stop());

  it('answers for more projects than fit in memory, and keeps running', async () => {
    const projects = Array.from({ length: PROJECTS }, (_, project) => project);
    const ask = (project: number) =>
      eventually(() => askProject(service, project), { withinMs: 60_000, while: () => service.isRunning });
    await pMap(projects, ask, { concurrency: 10 }).catch((error) => {
      throw new Error(service.lines.join('\n').slice(-2_000), { cause: error });
    });
    expect(service.isRunning).toBe(true);
  }, 120_000);
});
