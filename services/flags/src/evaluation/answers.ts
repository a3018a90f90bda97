import type { Decision } from '@switchboard/flag-engine';
import { noReads, type Reads, shareOfHeap } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import { digestOf, type KnownState, type UserStateJson } from '../user-state/user-state.ts';

/** Everything an evaluation depends on. */
interface Inputs {
  projectId: string;
  distinctId: string;
  /** Identifies the ruleset: no two rulesets of a project have the same. */
  changedAt: string;
  state: UserStateJson;
  /** The last answer to the person, as of before the state was read. */
  last: Answer | undefined;
}

export interface Answer extends KnownState {
  changedAt: string;
  bytes: Bytes;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** JSON; in UTF-8 where it is kept. */
export type AnswerBody = string | Bytes;

export interface AnswerCache {
  /** The last answer to the person, if it is kept: the state that it is of need not be read again. */
  last(projectId: string, distinctId: string): Answer | undefined;
  /** The last answer if it had the same inputs, otherwise what `evaluate` returns. */
  get(inputs: Inputs, evaluate: () => string): AnswerBody;
  reads(): Readonly<Reads>;
}

const MAX_BYTES = shareOfHeap(0.1, 64 * 1024 * 1024);
const ENTRY_OVERHEAD_BYTES = 400;

/** 2^18 slots for people who were asked for. A person whose slot was taken by another counts as new. */
const SEEN_BITS = 18;

/**
 * Keeps the last answer to each person, because clients ask for the same person again and again. From the second time
 * on: answers to people who are asked for once would fill the cache and keep the garbage collector busy.
 */
export function createAnswerCache(): AnswerCache {
  const encoder = new TextEncoder();
  const reads = noReads();
  const seen = new Int32Array(1 << SEEN_BITS);
  const answers = new LRUCache<string, Answer>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ state, bytes }, key) =>
      state.length + bytes.length + key.length + ENTRY_OVERHEAD_BYTES,
    maxEntrySize: Math.floor(MAX_BYTES / 16),
  });

  function wasSeen(key: string): boolean {
    let hash = 0;
    for (let index = 0; index < key.length; index++) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
    // Similar names differ in a few bits of such a hash: the highest bits of a product depend on all of them.
    const slot = Math.imul(hash, 0x9e3779b1) >>> (32 - SEEN_BITS);
    const known = seen[slot] === hash;
    seen[slot] = hash;
    return known;
  }

  return {
    last: (projectId, distinctId) => answers.get(keyOf(projectId, distinctId)),

    get({ projectId, distinctId, changedAt, state, last }, evaluate) {
      if (last !== undefined && last.changedAt === changedAt && last.state === state) {
        reads.hits++;
        return last.bytes;
      }
      reads.misses++;
      const json = evaluate();
      const key = keyOf(projectId, distinctId);
      if (last === undefined && !wasSeen(key)) return json;
      // Sent as they are: the string would be put together and encoded for every response.
      const bytes = encoder.encode(json);
      const digest = last?.state === state ? last.digest : digestOf(state);
      answers.set(key, { changedAt, state, digest, bytes });
      return bytes;
    },

    reads: () => reads,
  };
}

// Ids cannot contain NUL.
const keyOf = (projectId: string, distinctId: string) => `${projectId}\0${distinctId}`;

interface Fragment {
  flag: string;
  variant: string;
}

/** JSON fragments by decision. A ruleset has one object per outcome of a flag, so each is serialized once. */
const fragments = new WeakMap<Decision, Fragment>();

/** The body of GET /v1/flags: `{flags, variants}`, with `reasons` if requested. */
export function answerJson(decisions: readonly Decision[], withReasons: boolean): string {
  let flags = '';
  let variants = '';
  let reasons = '';
  for (const decision of decisions) {
    const fragment = fragmentOf(decision);
    flags = joined(flags, fragment.flag);
    variants = joined(variants, fragment.variant);
    if (withReasons) reasons = joined(reasons, `,${JSON.stringify(decision.key)}:"${decision.reason}"`);
  }
  const reasonsMember = withReasons ? `,"reasons":{${reasons}}` : '';
  return `{"flags":{${flags}},"variants":{${variants}}${reasonsMember}}`;
}

/** A comma precedes each member. Only the first is sliced: a slice of them all would be a copy. */
const joined = (members: string, next: string): string => (members === '' ? next.slice(1) : members + next);

function fragmentOf(decision: Decision): Fragment {
  const known = fragments.get(decision);
  if (known !== undefined) return known;
  const name = JSON.stringify(decision.key);
  // `join` makes flat strings. Those of a template keep every part they were put together from.
  const fragment = {
    flag: [',', name, ':', JSON.stringify(decision.value)].join(''),
    variant: decision.variant === null ? '' : [',', name, ':', JSON.stringify(decision.variant)].join(''),
  };
  fragments.set(decision, fragment);
  return fragment;
}
