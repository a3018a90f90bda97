import { type Decision, decideAll, evaluateFlag, resolve, type User } from '@switchboard/flag-engine';
import { type Following, followRuleset, type Known } from './ruleset.ts';
import type { Transport } from './transport.ts';
import type { FlagsClient, FlagValue, Person, ServerEvaluation } from './types.ts';
import { createUsage } from './usage.ts';

interface FlagsOptions {
  host: string;
  key: string;
  transport: Transport;
  /** Whether to report which flags are used. */
  reportsUsage: boolean;
  /** Sends waiting calls, and returns the state tokens of the sent ones. */
  settle(): Promise<string[]>;
}

const READY_MS = 5_000;
const MAX_MEMBERSHIPS = 10_000;
const NO_COHORTS: ReadonlySet<string> = new Set();

export interface Flags extends FlagsClient {
  close(): void;
  /** Reports the flags used since the last report. Never rejects. */
  sendUsage(): Promise<void>;
}

export function createFlags({ host, key, transport, reportsUsage, settle }: FlagsOptions): Flags {
  const usage = createUsage({ host, transport, isOn: reportsUsage });
  const listeners = new Set<(keys: string[]) => void>();
  const waiting = new Set<() => void>();
  /** The cohorts of the people requested last, for the ruleset of `membershipsAt`. */
  const memberships = new Map<string, ReadonlySet<string>>();
  let membershipsAt = '';
  let following: Following | undefined;
  let isClosed = false;

  function known(): Known | undefined {
    if (isClosed) return following?.known();
    following ??= followRuleset({
      host,
      key,
      transport,
      onChange(now, before) {
        for (const done of waiting) done();
        if (before === undefined) return;
        const keys = changedKeys(before.definitions, now.definitions);
        for (const listener of listeners) listener(keys);
      },
    });
    return following.known();
  }

  /** Evaluates a flag and counts what it serves. */
  function decide(flagKey: string, user: User): Decision | undefined {
    const ruleset = known()?.ruleset;
    const decision = ruleset && evaluateFlag(ruleset, flagKey, user);
    if (decision !== undefined) usage.count(decision);
    return decision;
  }

  async function getJson(path: string, distinctId: string, more?: Record<string, string>): Promise<unknown> {
    const tokens = await settle();
    const headers = tokens.length === 0 ? {} : { 'X-State-Token': tokens.join(',') };
    const query = new URLSearchParams({ distinct_id: distinctId, ...more });
    const response = await transport.get(`${host}${path}?${query}`, headers);
    const text = await response.text();
    return response.ok ? JSON.parse(text) : undefined;
  }

  return {
    async ready(timeoutMs = READY_MS) {
      if (known() !== undefined) return true;
      await new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, timeoutMs);
        waiting.add(done);
      });
      return known() !== undefined;
    },

    get: (flagKey, fallback, person) => typed(decide(flagKey, userOf(person))?.value, fallback),

    resolve(flagKey, person) {
      const ruleset = known()?.ruleset;
      if (ruleset === undefined) return undefined;
      const user = userOf(person);
      const decision = decide(flagKey, user);
      return decision && resolve(ruleset, decision, user);
    },

    all(person) {
      const ruleset = known()?.ruleset;
      const decisions = ruleset === undefined ? [] : decideAll(ruleset, userOf(person));
      for (const decision of decisions) usage.count(decision);
      return Object.fromEntries(decisions.map(({ key, value }) => [key, value]));
    },

    get usesCohorts() {
      return known()?.ruleset.usesCohorts ?? false;
    },

    async withCohorts(person) {
      const generatedAt = known()?.generatedAt ?? '';
      if (membershipsAt !== generatedAt) {
        memberships.clear();
        membershipsAt = generatedAt;
      }
      try {
        const remembered = memberships.get(person.distinctId);
        if (remembered !== undefined) return { ...person, cohorts: remembered };
        const answer = await getJson('/v1/flags/memberships', person.distinctId);
        if (!hasCohorts(answer)) return person;
        const cohorts = new Set(answer.cohorts);
        if (memberships.size >= MAX_MEMBERSHIPS) memberships.clear();
        if (membershipsAt === generatedAt) memberships.set(person.distinctId, cohorts);
        return { ...person, cohorts };
      } catch {
        return person;
      }
    },

    async fetch(distinctId, { usage: reported } = {}) {
      try {
        const answer = await getJson('/v1/flags', distinctId, reported && { usage: reported });
        return isEvaluation(answer) ? { flags: answer.flags, variants: answer.variants } : undefined;
      } catch {
        return undefined;
      }
    },

    onChange(listener) {
      known();
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },

    sendUsage: usage.send,

    close() {
      isClosed = true;
      following?.close();
    },
  };
}

/** An untyped caller may pass any value. A person without an id is unknown. */
function userOf(person: Person | undefined | null): User {
  const { distinctId, traits, groups, cohorts } = person ?? { distinctId: '' };
  return {
    distinctId: typeof distinctId === 'string' ? distinctId : '',
    traits: traits ?? {},
    groups: groups ?? undefined,
    cohorts: cohorts ?? NO_COHORTS,
  };
}

/**
 * Returns the fallback for a value of another type, because the declared type of a flag is that of its fallback.
 */
function typed<K extends string, V>(value: unknown, fallback: V): FlagValue<K, V>;
function typed(value: unknown, fallback: unknown): unknown {
  if (value === undefined || value === null) return fallback;
  if (fallback === undefined || fallback === null) return value;
  const isAlike = typeof value === typeof fallback && Array.isArray(value) === Array.isArray(fallback);
  return isAlike ? value : fallback;
}

function changedKeys(before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): string[] {
  const keys = new Set([...before.keys(), ...now.keys()]);
  return [...keys].filter((key) => before.get(key) !== now.get(key));
}

function hasCohorts(value: unknown): value is { cohorts: string[] } {
  return typeof value === 'object' && value !== null && 'cohorts' in value && Array.isArray(value.cohorts);
}

function isEvaluation(value: unknown): value is ServerEvaluation {
  return typeof value === 'object' && value !== null && 'flags' in value && 'variants' in value;
}
