import { shareOfHeap } from '@switchboard/engine';
import type { FlagsService } from '../config.ts';
import { createRulesets, type Rulesets } from '../rulesets/rulesets.ts';

/** The rulesets' shares of the heap. Answers use a tenth, requests, the directory and garbage collection the rest. */
const TEXTS_SHARE = 0.2;
const COMPILED_SHARE = 0.25;
const TEXTS_MAX_BYTES = 256 * 1024 * 1024;
const COMPILED_MAX_BYTES = 512 * 1024 * 1024;

/** Opens the cache of rulesets. */
export function openRulesets({ database }: FlagsService): Rulesets {
  return createRulesets({
    database,
    maxTextBytes: shareOfHeap(TEXTS_SHARE, TEXTS_MAX_BYTES),
    maxCompiledBytes: shareOfHeap(COMPILED_SHARE, COMPILED_MAX_BYTES),
  });
}
