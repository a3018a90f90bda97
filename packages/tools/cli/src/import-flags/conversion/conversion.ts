import { createHash } from 'node:crypto';
import {
  type Clause,
  type CohortDefinition,
  cohortDefinition,
  type FlagEntry,
  flagEntry,
  id,
  problemsOf,
} from '@switchboard/contracts';
import { validateRuleset } from '@switchboard/flag-engine';
import { z } from 'zod';

/** Cohorts and flags for a project. */
export interface Conversion {
  cohorts: ConvertedCohort[];
  flags: FlagEntry[];
  /** Differences between a flag and its original. */
  warnings: { key: string; message: string }[];
  /** Flags that are not imported. */
  leftOut: { key: string; reason: string }[];
}

export type ConvertedCohort = CohortDefinition & { id: string };

/** A part of a flag that Switchboard cannot express. The message says which. */
export class Inexpressible extends Error {}

/** Collects what belongs to a flag. */
export interface Draft {
  warn(message: string): void;
  addCohort(cohort: ConvertedCohort): void;
}

/** A flag of another product. `convert` throws Inexpressible. */
export interface Original {
  key: string;
  convert(draft: Draft): Omit<FlagEntry, 'key'>;
}

/** The bound of the request that writes a flag. */
const MAX_FLAG_BYTES = 262_144;
/** Longer lists of people become a cohort. */
const MAX_LISTED = 1_000;

const strictFlag = flagEntry.strict();
const strictCohort = z.strictObject({ id, ...cohortDefinition.shape });

/**
 * Converts the flags of another product. Leaves out those that Switchboard cannot express, and those that depend on
 * them.
 */
export function convertAll(originals: readonly Original[]): Conversion {
  const keys = new Set<string>();
  const leftOut: Conversion['leftOut'] = [];
  let converted: (Drafted & { flag: FlagEntry })[] = [];
  for (const { key, convert } of originals) {
    try {
      if (keys.has(key)) throw new Inexpressible('defined more than once');
      keys.add(key);
      const drafted: Drafted = { cohorts: [], messages: new Set() };
      const flag = checked(strictFlag, {
        key,
        ...convert({
          warn: (message) => drafted.messages.add(message),
          addCohort: (cohort) => drafted.cohorts.push(checked(strictCohort, cohort)),
        }),
      });
      if (Buffer.byteLength(JSON.stringify(flag)) > MAX_FLAG_BYTES)
        throw new Inexpressible(`larger than ${MAX_FLAG_BYTES} bytes`);
      converted.push({ flag, ...drafted });
    } catch (error) {
      if (!(error instanceof Inexpressible)) throw error;
      leftOut.push({ key, reason: error.message });
    }
  }
  for (;;) {
    const faults = faultsOf(converted.map(({ flag }) => flag));
    if (faults.size === 0) break;
    leftOut.push(...Array.from(faults, ([key, reason]) => ({ key, reason })));
    converted = converted.filter(({ flag }) => !faults.has(flag.key));
  }
  const cohorts = new Map(
    converted.flatMap((one) => one.cohorts.map((cohort) => [cohort.id, cohort] as const)),
  );
  return {
    cohorts: [...cohorts.values()],
    flags: converted.map(({ flag }) => flag),
    warnings: converted.flatMap(({ flag: { key }, messages }) =>
      [...messages].map((message) => ({ key, message })),
    ),
    leftOut,
  };
}

interface Drafted {
  cohorts: ConvertedCohort[];
  messages: Set<string>;
}

/** Returns the first fault of each flag, by key. */
function faultsOf(flags: readonly FlagEntry[]): Map<string, string> {
  const faults = new Map<string, string>();
  for (const { path, problem } of validateRuleset(flags)) {
    const [, index = '', property = ''] = /^\[(\d+)\]\.(.*)$/.exec(path) ?? [];
    const key = flags[Number(index)]?.key ?? '';
    if (!faults.has(key)) faults.set(key, `${property}: ${problem}`);
  }
  return faults;
}

/** Parses a value. Throws Inexpressible. */
function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const [problem] = problemsOf({ schema, value, error }, { where: 'flag', most: 1, isStrict: true });
  throw new Inexpressible(problem?.message ?? 'not valid');
}

/** Returns the clause for a cohort. */
export const inCohort = (value: string, op: 'in_cohort' | 'not_in_cohort' = 'in_cohort'): Clause => ({
  attribute: 'distinct_id',
  op,
  value,
});

/** Returns the clause for listed people. A long list becomes the cohort `ofList`. */
export function listedPeople(
  ids: readonly string[],
  { draft, ofList, op = 'in' }: { draft: Draft; ofList: { id: string; name: string }; op?: 'in' | 'not_in' },
): Clause {
  if (ids.length <= MAX_LISTED) return { attribute: 'distinct_id', op, value: [...ids] };
  draft.addCohort({ ...ofList, distinctIds: [...new Set(ids)] });
  return inCohort(ofList.id, op === 'in' ? 'in_cohort' : 'not_in_cohort');
}

/** Returns the clause for everyone who does not match. It also matches people without the trait, which no other clause does. */
export function negationOf(
  match: Clause[],
  { draft, product, name }: { draft: Draft; product: string; name: string },
): Clause {
  const id = `${product}-${hashOf(match)}`;
  draft.addCohort({ id, name: name.slice(0, MAX_NAME), match });
  return inCohort(id, 'not_in_cohort');
}

const MAX_NAME = 200;

/** Returns a short hash for the id of a cohort. */
export const hashOf = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex').slice(0, 12);

/** Returns the type that all values have. */
export function typeOf(values: readonly unknown[]): 'boolean' | 'string' | 'number' | 'json' {
  return (
    (['boolean', 'string', 'number'] as const).find((type) => values.every((one) => typeof one === type)) ??
    'json'
  );
}

/** The warning for a rollout that divides people in another way. */
export const RE_BUCKETED = 'its percentages now include other people';
