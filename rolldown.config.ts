import { defineConfig } from 'rolldown';
import { assets } from './deploy/docker/bundle/assets.ts';
import { licences } from './deploy/docker/bundle/licences.ts';
import { natives } from './deploy/docker/bundle/natives.ts';
import { noRelativeFiles } from './deploy/docker/bundle/no-relative-files.ts';

/** Bundles one program into dist/: main.mjs and what it reads, which is all that it needs beside Node. */
export default defineConfig({
  input: 'src/main.ts',
  platform: 'node',
  output: {
    dir: 'dist',
    cleanDir: true,
    format: 'esm',
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    // Stacks name the lines of the source; the source itself stays out of the image.
    sourcemap: true,
    sourcemapExcludeSources: true,
    minify: false,
  },
  plugins: [natives(), assets(), noRelativeFiles(), licences()],
});
