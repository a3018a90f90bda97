import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';
import { parseDockerfile } from './dockerfile.ts';

const MIB = 1_048_576;
/** Three semi-spaces of 16 MiB. */
const YOUNG_BYTES = 48 * MIB;

it('images give the heap half of the memory limit', async () => {
  const stages = parseDockerfile(await readFile(join(REPOSITORY, 'deploy/docker/Dockerfile'), 'utf8'));
  const entries = stages.flatMap(({ steps }) => steps.filter(({ keyword }) => keyword === 'ENTRYPOINT'));
  expect(entries).toHaveLength(1);
  const flags = entries[0]?.list.filter((word) => word.startsWith('--')) ?? [];
  const script = 'console.log(v8.getHeapStatistics().heap_size_limit, process.constrainedMemory())';
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '-e', script]);
  const [heap = 0, limit = 0] = stdout.split(' ').map(Number);
  // Without a limit, Node.js takes the machine's memory for one.
  const memory = limit > 0 && limit < totalmem() ? limit : totalmem();
  expect(Math.abs(heap - YOUNG_BYTES - memory / 2)).toBeLessThan(2 * MIB);
});
