import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { globSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { type OutputOptions, rolldown } from 'rolldown';
import { parse } from 'yaml';
import type { BuiltSdks } from './built.ts';

const TSC = fileURLToPath(new URL('bin/tsc', import.meta.resolve('typescript/package.json')));
const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));
const run = promisify(execFile);

interface Manifest {
  name: string;
  dependencies?: Record<string, string>;
  publishConfig?: { exports?: object };
  [field: string]: unknown;
}

/** Builds the scripts and packages from the sources of this repository. */
export async function buildSdks(): Promise<BuiltSdks> {
  const [scripts, packages] = await Promise.all([buildScripts(), buildPackages()]);
  return { ...scripts, packages };
}

/**
 * Builds self-contained scripts, so that a script of a new version works next to one of an old version on the
 * same page.
 */
async function buildScripts(): Promise<Pick<BuiltSdks, 'scripts' | 'names'>> {
  const module: OutputOptions = {
    format: 'esm',
    hashCharacters: 'hex',
    entryFileNames: '[name].[hash:16].js',
    chunkFileNames: ({ name }) => `messenger-${name}.[hash:16].js`,
  };
  const add = (name: string) => bundle(name, join(ROOT, `packages/sdk/${name}/src/index.ts`), module);
  const [replay, messenger] = await Promise.all([add('replay'), add('messenger')]);
  const browser = await bundle(
    'browser',
    fileURLToPath(new URL('script/browser.ts', import.meta.url)),
    { format: 'iife', entryFileNames: '[name].js' },
    { REPLAY_SCRIPT: replay.entry, MESSENGER_SCRIPT: messenger.entry },
  );
  const code = browser.files[browser.entry] ?? '';
  const browserName = `browser.${createHash('sha256').update(code).digest('hex').slice(0, 16)}.js`;
  return {
    scripts: { [browserName]: code, ...replay.files, ...messenger.files },
    names: { 'browser.js': browserName, 'replay.js': replay.entry, 'messenger.js': messenger.entry },
  };
}

async function bundle(
  name: string,
  input: string,
  output: OutputOptions,
  names: Record<string, string> = {},
) {
  const define = Object.fromEntries(
    Object.entries(names).map(([key, value]) => [key, JSON.stringify(value)]),
  );
  const built = await rolldown({
    input: { [name]: input },
    platform: 'browser',
    // Code that parts loaded later share stays in the entry, which is one request.
    preserveEntrySignatures: 'allow-extension',
    logLevel: 'silent',
    transform: { target: 'es2022', define },
  });
  const { output: chunks } = await built.generate({ ...output, minify: true });
  await built.close();
  const files = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? [[chunk.fileName, chunk.code]] : []));
  return { entry: chunks[0].fileName, files: Object.fromEntries(files) as Record<string, string> };
}

async function buildPackages(): Promise<BuiltSdks['packages']> {
  const workspace: { catalog: Record<string, string> } = parse(
    await readFile(join(ROOT, 'pnpm-workspace.yaml'), 'utf8'),
  );
  const manifests = await Promise.all(
    globSync('packages/*/*/package.json', { cwd: ROOT }).map(async (path) => {
      const manifest: Manifest = JSON.parse(await readFile(join(ROOT, path), 'utf8'));
      return { folder: join(ROOT, dirname(path)), manifest };
    }),
  );
  const published = manifests.filter(({ manifest }) => manifest.publishConfig !== undefined);
  const packages = await Promise.all(
    published.map(async ({ folder, manifest }) => ({
      name: manifest.name,
      files: await filesOf(folder, publicManifest(manifest, workspace.catalog)),
    })),
  );
  return Object.fromEntries(packages.map(({ name, files }) => [name, files]));
}

/** Returns the manifest that `pnpm pack` writes, except for dependencies on other packages of these SDKs. */
function publicManifest(
  { publishConfig, scripts: _, devDependencies: __, files: ___, ...manifest }: Manifest,
  catalog: Record<string, string>,
): object {
  const versions = Object.entries(manifest.dependencies ?? {}).map(([name, version]) => {
    if (version !== 'catalog:') return [name, version];
    const known = catalog[name];
    if (known === undefined) throw new Error(`${manifest.name}: ${name} is not in the catalog`);
    return [name, known];
  });
  return { ...manifest, exports: publishConfig?.exports, dependencies: Object.fromEntries(versions) };
}

async function filesOf(folder: string, manifest: object): Promise<Record<string, string>> {
  const read = async (path: string, from: string) => [path, await readFile(from, 'utf8')] as const;
  const built = await mkdtemp(join(tmpdir(), 'switchboard-sdk-'));
  try {
    // Not in the package's own folder, which another build may be writing to.
    await run(process.execPath, [TSC, '-p', 'tsconfig.build.json', '--outDir', built], {
      cwd: folder,
    });
    const entries = await readdir(built, { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
    return Object.fromEntries([
      ['package.json', `${JSON.stringify(manifest, null, 2)}\n`],
      await read('README.md', join(folder, 'README.md')),
      await read('CHANGELOG.md', join(folder, 'CHANGELOG.md')),
      await read('LICENSE', join(ROOT, 'LICENSE')),
      ...(await Promise.all(paths.sort().map((path) => read(`dist${path.slice(built.length)}`, path)))),
    ]);
  } finally {
    await rm(built, { recursive: true });
  }
}
