import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { publint } from 'publint';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const run = promisify(execFile);

interface Manifest {
  name: string;
  publishConfig?: object;
}

const PACKAGES = join(REPOSITORY, 'packages');
const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

async function publishedPackages(): Promise<[name: string, folder: string][]> {
  const folders = (await readdir(PACKAGES)).map((name) => join(PACKAGES, name));
  const manifests = await Promise.all(
    folders.map(async (folder) => [await readManifest(folder), folder] as const),
  );
  return manifests
    .filter(([manifest]) => manifest.publishConfig !== undefined)
    .map(([manifest, folder]) => [manifest.name, folder]);
}

describe('a package that people install', async () => {
  it.each(await publishedPackages())('%s can be published, and is complete', async (_, folder) => {
    const packed = await mkdtemp(join(tmpdir(), 'switchboard-packed-'));
    try {
      await run(join(REPOSITORY, 'node_modules/.bin/tsc'), ['-p', 'tsconfig.build.json'], { cwd: folder });
      // pnpm puts versions in the place of workspace: and catalog:, and the exports of publishConfig in that of ours.
      const pnpm = (...args: string[]) => run('npx', ['--yes', 'pnpm@12', ...args], { cwd: folder });
      await pnpm('publish', '--dry-run', '--no-git-checks');
      await pnpm('pack', '--out', join(packed, 'package.tgz'));
      await run('tar', ['xzf', 'package.tgz'], { cwd: packed });
      const content = join(packed, 'package');
      expect(await readdir(content)).toEqual(
        expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']),
      );
      expect(await readFile(join(content, 'package.json'), 'utf8')).not.toMatch(
        /workspace:|catalog:|\.\/src\//,
      );
      const { messages } = await publint({ pkgDir: content, pack: false, strict: true });
      expect(messages.filter(({ type }) => type !== 'suggestion')).toEqual([]);
    } finally {
      await rm(packed, { recursive: true });
    }
  });
});
