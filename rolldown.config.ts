import { cp } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { defineConfig } from 'rolldown';

const SOURCE_URL = /new URL\('((?:\.\.\/)+migrations)', import\.meta\.url\)/;

/** Bundles one service into dist/main.js, with the migrations that its packages bring beside it. */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  output: { dir: 'dist', format: 'esm', sourcemap: true, minify: false },
  plugins: [
    {
      name: 'migrations',
      async transform(code, id) {
        const reference = SOURCE_URL.exec(code)?.[1];
        if (reference === undefined) return undefined;
        const folder = join(dirname(id), reference);
        const name = basename(dirname(folder));
        await cp(folder, join('dist', 'migrations', name), { recursive: true });
        return {
          code: code.replace(SOURCE_URL, `new URL('./migrations/${name}', import.meta.url)`),
          map: null,
        };
      },
    },
  ],
});
