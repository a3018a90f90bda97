import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Packages of native modules, one per platform, of which one is installed. */
const NATIVE = /^@duckdb\/node-bindings-[\w-]+\//;

/** Copies packages of native modules beside the bundle, where Node finds them: a bundle is JavaScript alone. */
export function natives(): Plugin {
  return {
    name: 'natives',
    resolveId: {
      filter: { id: NATIVE },
      async handler(source, importer) {
        const folder = folderOf(source, importer);
        const name = source.split('/').slice(0, 2).join('/');
        for (const file of folder === undefined ? [] : await readdir(folder)) {
          const fileName = join('node_modules', name, file);
          this.emitFile({ type: 'asset', fileName, source: await readFile(join(folder ?? '', file)) });
        }
        return { id: source, external: true };
      },
    },
  };
}

/** Undefined for a package of another platform, which is not installed. */
function folderOf(source: string, importer: string | undefined): string | undefined {
  try {
    return dirname(createRequire(importer ?? import.meta.url).resolve(source));
  } catch {
    return undefined;
  }
}
