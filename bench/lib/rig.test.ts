import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HEAP_FLAGS, MEMORY_ENV } from './rig.ts';

it('runs services with the memory settings of the images', async () => {
  const dockerfile = await readFile(join(import.meta.dirname, '../../deploy/docker/Dockerfile'), 'utf8');
  const [, command = ''] = dockerfile.split('FROM runtime AS command');
  for (const flag of HEAP_FLAGS) expect(command).toMatch(new RegExp(`^ENTRYPOINT .*"${flag}"`, 'm'));
  for (const [name, value] of Object.entries(MEMORY_ENV)) {
    expect(command).toMatch(new RegExp(`^ENV .*\\b${name}=${value}\\b`, 'm'));
  }
});
