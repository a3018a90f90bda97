import { fileURLToPath } from 'node:url';
import { tokens } from '@switchboard/design';
import type { PluginOption, UserConfig } from 'vite';
import { PLAYER, PREVIEW, PUSH_WORKER } from '../assets/assets.ts';
import { budget } from './budget.ts';

const OUT = fileURLToPath(new URL('../../web/dist', import.meta.url));
const TOKENS = 'virtual:tokens.css';

/** Serves the custom properties of packages/kit/design as a style sheet. */
const designTokens: PluginOption = {
  name: 'design-tokens',
  resolveId: (id) => (id === TOKENS ? `\0${TOKENS}` : undefined),
  load: (id) => (id === `\0${TOKENS}` ? tokens : undefined),
};

/** Lists the packages with code in a build, with their licence texts. */
const licencesOf = (name: string) => ({ fileName: `licences/${name.replace(/-$/, '')}.md` });

/** The configuration of Vite, for the build and the development server. */
export const webConfig = (plugins: PluginOption[], outDir = OUT): UserConfig => ({
  root: fileURLToPath(new URL('../../web', import.meta.url)),
  plugins: [designTokens, budget, ...plugins],
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: true,
    license: licencesOf('console'),
    // The policy allows neither inline assets nor scripts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: 'baseline-widely-available',
  },
});

/** The scripts of the sandboxed documents and the service worker, by the beginnings of their names. */
const SCRIPTS = {
  [PLAYER]: './player/main.ts',
  [PREVIEW]: '@switchboard/messenger/preview',
  [PUSH_WORKER]: './push/worker.ts',
};

/** The configuration of Vite for one of these scripts: one file, because a sandboxed document has no origin. */
export const scriptConfig = (name: keyof typeof SCRIPTS, outDir = OUT): UserConfig => ({
  root: fileURLToPath(new URL('../../web', import.meta.url)),
  logLevel: 'warn',
  build: {
    outDir,
    emptyOutDir: false,
    license: licencesOf(name),
    modulePreload: false,
    target: 'baseline-widely-available',
    rolldownOptions: {
      input: SCRIPTS[name],
      // The loader of further files, which there are not, names it.
      transform: { define: { 'import.meta': '{}' } },
      output: { format: 'iife', entryFileNames: `assets/${name}[hash].js`, codeSplitting: false },
    },
  },
});
