import type { Tree } from './source.ts';

export interface Violation {
  file: string;
  problem: string;
}

/** A rule for the whole tree. The violations are the files that break it. */
export interface Rule {
  name: string;
  check(tree: Tree): Violation[];
}
