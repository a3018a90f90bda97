import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MALLOC_SETTINGS, SEMI_SPACE_FLAG } from './heap.ts';

it('names the settings of V8 and glibc that the images have', async () => {
  const dockerfile = await readFile(
    join(import.meta.dirname, '../../../../deploy/docker/Dockerfile'),
    'utf8',
  );
  const [, command = ''] = dockerfile.split('FROM runtime AS command');
  expect(command).toMatch(new RegExp(`^ENTRYPOINT .*"${SEMI_SPACE_FLAG}"`, 'm'));
  for (const [name, value] of Object.entries(MALLOC_SETTINGS)) {
    expect(command).toMatch(new RegExp(`^ENV .*\\b${name}=${value}\\b`, 'm'));
  }
});
