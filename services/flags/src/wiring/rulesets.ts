import { shareOfHeap } from '@switchboard/engine';
import type { FlagsService } from '../config.ts';
import { createRulesets, type Rulesets } from '../rulesets/rulesets.ts';

/** The rulesets' share of the heap. Answers use a tenth, requests, the directory and garbage collection the rest. */
const RULESETS_SHARE = 0.4;
const RULESETS_MAX_BYTES = 512 * 1024 * 1024;

/** Opens the cache of rulesets. */
export function openRulesets({ database }: FlagsService): Rulesets {
  return createRulesets({ database, maxBytes: shareOfHeap(RULESETS_SHARE, RULESETS_MAX_BYTES) });
}
