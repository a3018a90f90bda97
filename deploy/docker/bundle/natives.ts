import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Plugin } from 'rolldown';

/** Packages of native modules. There is one per platform, and only one of them is installed. */
const NATIVE = /^@duckdb\/node-bindings-[\w-]+\//;

/** Copies packages of native modules beside the bundle, where Node finds them. A bundle contains only JavaScript. */
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

/** Returns the folder of a package, or undefined for a package of another platform, which is not installed. */
function folderOf(source: string, importer: string | undefined): string | undefined {
  try {
    return dirname(createRequire(importer ?? import.meta.url).resolve(source));
  } catch {
    return undefined;
  }
}
