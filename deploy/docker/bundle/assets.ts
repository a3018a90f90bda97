import { readdir, readFile, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { packageOf } from './package-of.ts';

/** How code refers to a file or folder that it reads: relative to itself, or in a dependency. */
const REFERENCE = /new URL\(\s*'([^']+)',\s*import\.meta\.(?:url|resolve\(\s*'([^']+)'\s*\)),?\s*\)/g;

/**
 * Copies files that code reads into the bundle: `new URL('../migrations', import.meta.url)` then points to the copy.
 * Bundles modules that threads run as separate programs: `new URL('./thread.ts', import.meta.url)`.
 * Other uses of import.meta in our code are an error, because their files would be missing from the bundle.
 */
export function assets(): Plugin {
  return {
    name: 'assets',
    transform: {
      filter: { id: { include: /\.ts$/, exclude: /\/node_modules\// }, code: 'import.meta' },
      async handler(code, id) {
        let bundled = code;
        for (const [reference, path = '', specifier] of code.matchAll(REFERENCE)) {
          if (path.endsWith('.ts')) {
            const fileName = `${basename(path, '.ts')}.mjs`;
            this.emitFile({ type: 'chunk', id: join(dirname(id), path), fileName });
            bundled = bundled.replace(reference, `new URL('./${fileName}', import.meta.url)`);
            continue;
          }
          const base = specifier === undefined ? id : createRequire(id).resolve(specifier);
          const target = join(dirname(base), path);
          const { name, folder } = await packageOf(target);
          const place = join('assets', basename(name), relative(folder, target));
          for (const file of await filesIn(target)) {
            const fileName = join(place, relative(target, file));
            this.emitFile({ type: 'asset', fileName, originalFileName: file, source: await readFile(file) });
          }
          const slash = path.endsWith('/') ? '/' : '';
          bundled = bundled.replace(reference, `new URL('./${place}${slash}', import.meta.url)`);
        }
        const left = bundled.replaceAll(
          /new URL\('\.\/(?:assets\/[^']+|[\w-]+\.mjs)', import\.meta\.url\)/g,
          '',
        );
        const stray = /import\.meta\.(?!main\b)\w+.*/.exec(left)?.[0];
        if (stray !== undefined)
          this.error(`${id}: ${stray} cannot be bundled; use new URL('<path>', import.meta.url)`);
        return { code: bundled, map: null };
      },
    },
  };
}

async function filesIn(path: string): Promise<string[]> {
  if (!(await stat(path)).isDirectory()) return [path];
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
}
