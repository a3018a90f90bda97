import { shareOfHeap } from '@switchboard/engine';
import { noReads, type Reads } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import { bytesOf } from '../rulesets/ruleset.ts';
import type { StateChanges, Watch } from './changes.ts';
import { EMPTY_STATE, hasGroups, type UserState, type UserStateJson } from './user-state.ts';

/** An evaluation of all flags. */
export interface Answer {
  /** The values as JSON. */
  readonly body: string;
  /** The outcome of each flag, for counting: see `outcomesOf`. */
  readonly outcomes: string;
}

/** A person with known state. */
export interface KnownPerson {
  readonly state: UserStateJson;
  /** The person's key in the cache. Undefined for people who were requested once. */
  readonly key: string | undefined;
  /** The last answer, with the `changedAt` of its ruleset. */
  readonly answer?: (Answer & { readonly changedAt: string }) | undefined;
}

export interface KnownPeople {
  /**
   * Returns synchronously if the state in memory is still valid. With `isAwaited`, the state includes everything
   * stored before the call. Throws if the state cannot be read.
   */
  get(projectId: string, distinctId: string, isAwaited: boolean): KnownPerson | Promise<KnownPerson>;
  /** Keeps an answer for as long as the person's state. */
  keep(person: KnownPerson, changedAt: string, answer: Answer): void;
  /** Returns the number of calls of `get` so far. A call that read nothing is a hit. */
  reads(): Readonly<Reads>;
}

interface Kept extends KnownPerson {
  key: string;
  watch: Watch;
}

const MAX_BYTES = shareOfHeap(0.1, 64 * 1024 * 1024);
const ENTRY_OVERHEAD_BYTES = 600;

/** 2^18 slots for people who were requested. A person counts as new if another one has taken their slot. */
const SEEN_BITS = 18;

const NOBODY: KnownPerson = { state: EMPTY_STATE, key: undefined };

/**
 * Caches the state and last answer of people, because clients request the same person repeatedly. Caches from
 * the second request on: people who are requested once would fill the cache and keep the garbage collector
 * busy.
 */
export function createKnownPeople(options: {
  userState: UserState;
  changes: Pick<StateChanges, 'watch' | 'holds'>;
}): KnownPeople {
  const { userState, changes } = options;
  const reads = noReads();
  const seen = new Int32Array(1 << SEEN_BITS);
  const people = new LRUCache<string, Kept>({
    maxSize: MAX_BYTES,
    sizeCalculation: ({ state, answer }, key) =>
      bytesOf(state) +
      bytesOf(answer?.body ?? '') +
      (answer?.outcomes.length ?? 0) +
      key.length +
      ENTRY_OVERHEAD_BYTES,
    maxEntrySize: Math.floor(MAX_BYTES / 16),
  });

  function wasSeen(key: string): boolean {
    let hash = 0;
    for (let index = 0; index < key.length; index++) hash = (Math.imul(hash, 31) + key.charCodeAt(index)) | 0;
    // The hashes of similar names differ in few bits. The highest bits of the product depend on all bits of the
    // hash.
    const slot = Math.imul(hash, 0x9e3779b1) >>> (32 - SEEN_BITS);
    const known = seen[slot] === hash;
    seen[slot] = hash;
    return known;
  }

  async function read(projectId: string, distinctId: string, key: string): Promise<KnownPerson> {
    if (!people.has(key) && !wasSeen(key)) {
      return { state: await userState.read(projectId, distinctId), key: undefined };
    }
    const watch = changes.watch(projectId, distinctId);
    const state = await userState.read(projectId, distinctId);
    const last = people.peek(key);
    const kept: Kept = { state, key, watch, answer: last?.state === state ? last.answer : undefined };
    people.set(key, kept);
    return kept;
  }

  return {
    get(projectId, distinctId, isAwaited) {
      if (distinctId === '') return NOBODY;
      const key = keyOf(projectId, distinctId);
      const kept = people.get(key);
      if (kept !== undefined && !isAwaited && changes.holds(kept.watch, hasGroups(kept.state))) {
        reads.hits++;
        return kept;
      }
      reads.misses++;
      return read(projectId, distinctId, key);
    },

    keep({ key, state }, changedAt, { body, outcomes }) {
      const kept = key === undefined ? undefined : people.peek(key);
      if (kept?.state === state) people.set(kept.key, { ...kept, answer: { changedAt, body, outcomes } });
    },

    reads: () => reads,
  };
}

// Ids cannot contain NUL.
const keyOf = (projectId: string, distinctId: string) => `${projectId}\0${distinctId}`;
