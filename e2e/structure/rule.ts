import type { Tree } from './source.ts';

export interface Violation {
  file: string;
  problem: string;
}

/** What holds for the whole tree; the violations are the files where it does not. */
export interface Rule {
  name: string;
  check(tree: Tree): Violation[];
}
