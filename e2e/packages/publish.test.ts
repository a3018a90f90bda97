import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { buildSdks } from '@switchboard/sdk-files/build';
import { publint } from 'publint';
import { describe, expect, it } from 'vitest';
import { REPOSITORY } from '../harness/repository.ts';

const run = promisify(execFile);

interface Manifest {
  name: string;
  publishConfig?: object;
}

interface Packed extends Manifest {
  dependencies?: Record<string, string>;
  scripts?: object;
  devDependencies?: object;
  files?: string[];
}

const readManifest = async (folder: string): Promise<Manifest> =>
  JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));

/** Removes the versions of the other packages: where a deployment serves the packages, these are addresses. */
function withoutVersionsOfOthers({
  scripts: _,
  devDependencies: __,
  files: ___,
  ...manifest
}: Packed): object {
  const isOther = (name: string) => name.startsWith('@switchboard/');
  const entries = Object.entries(manifest.dependencies ?? {});
  const dependencies = entries.map(([name, version]) => [name, isOther(name) ? '' : version]);
  return { ...manifest, dependencies: Object.fromEntries(dependencies) };
}

async function publishedPackages(): Promise<[name: string, folder: string][]> {
  const manifestFiles = globSync('packages/*/*/package.json', { cwd: REPOSITORY });
  const folders = manifestFiles.map((path) => join(REPOSITORY, dirname(path)));
  const manifests = await Promise.all(
    folders.map(async (folder) => [await readManifest(folder), folder] as const),
  );
  return manifests
    .filter(([manifest]) => manifest.publishConfig !== undefined)
    .map(([manifest, folder]) => [manifest.name, folder]);
}

describe('the packages that people install', async () => {
  const { packages: served } = await buildSdks();

  it.each(await publishedPackages())(
    '%s can be published, is complete, and matches the package that deployments serve',
    async (name, folder) => {
      const packed = await mkdtemp(join(tmpdir(), 'switchboard-packed-'));
      try {
        await rm(join(folder, 'dist'), { recursive: true, force: true });
        // pnpm replaces workspace: and catalog: with versions, and our exports with those of publishConfig.
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

        const { 'package.json': manifest = '', ...files } = served[name] ?? {};
        const { publishConfig: _, ...published } = JSON.parse(
          await readFile(join(content, 'package.json'), 'utf8'),
        );
        expect(withoutVersionsOfOthers(JSON.parse(manifest))).toEqual(withoutVersionsOfOthers(published));
        for (const [path, text] of Object.entries(files))
          expect(await readFile(join(content, path), 'utf8')).toBe(text);
        const packedFiles = await readdir(content, { recursive: true, withFileTypes: true });
        expect(packedFiles.filter((file) => file.isFile())).toHaveLength(Object.keys(files).length + 1);
      } finally {
        await rm(packed, { recursive: true });
      }
    },
  );
});
