import { execFile } from 'node:child_process';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const UP = join(REPOSITORY, 'deploy/backings/up.sh');

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'switchboard-up-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`);
  await chmod(join(folder, name), 0o755);
}

test('up.sh fails with the output of a program that exits, and leaves nothing behind', async () => {
  await program('redis-server', 'echo no room; exit 1');
  await program('redis-cli', 'exit 1');
  const env = { PATH: `${folder}:${process.env['PATH']}`, HOME: folder, BACKINGS_DIR: join(folder, 'state') };
  const ended = await new Promise((resolve) => {
    execFile(UP, ['redis'], { env }, (error, stdout, stderr) =>
      resolve({ code: error?.code, stdout, stderr }),
    );
  });
  expect(ended).toEqual({
    code: 1,
    stdout: '',
    stderr: 'up.sh: redis does not answer; its output:\nno room\n',
  });
  expect((await readdir(folder)).sort()).toEqual(['redis-cli', 'redis-server']);
});
