import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Gzipped bytes of scripts and styles: of the first load, and of each further page. */
const FIRST_LOAD = 200_000;
const PAGE = 40_000;

/** Fails a build with a first load or a page that is too large. */
export const budget: Plugin = {
  name: 'budget',
  apply: 'build',
  generateBundle(_, bundle) {
    const sizeOf = (names: ReadonlySet<string>) =>
      [...names].reduce((sum, name) => sum + sizeOfFile(bundle[name]), 0);
    const chunks = Object.values(bundle).filter((one) => one.type === 'chunk');
    const entry = chunks.find(({ isEntry }) => isEntry);
    if (entry === undefined) return;
    const first = filesOf(entry, bundle);
    check('the first load', sizeOf(first), FIRST_LOAD);
    for (const chunk of chunks.filter(({ isDynamicEntry }) => isDynamicEntry)) {
      const further = [...filesOf(chunk, bundle)].filter((name) => !first.has(name));
      check(chunk.name, sizeOf(new Set(further)), PAGE);
    }
  },
};

function check(name: string, size: number, most: number): void {
  if (size <= most) return;
  throw new Error(
    `${name} has ${size} bytes gzipped, more than ${most}: load parts on use, or leave them out`,
  );
}

function sizeOfFile(file: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): number {
  if (file === undefined) return 0;
  return gzipSync(file.type === 'chunk' ? file.code : file.source).byteLength;
}

/** Returns the names of a chunk's scripts and styles, and of those that it imports. */
function filesOf(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  seen = new Set<string>(),
): Set<string> {
  if (seen.has(chunk.fileName)) return seen;
  seen.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) seen.add(style);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') filesOf(imported, bundle, seen);
  }
  return seen;
}
