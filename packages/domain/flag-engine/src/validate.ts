import { isCohortClause } from './clauses/clauses.ts';
import { isPercentage, isWeight } from './parse.ts';
import type { Cohort, Flag, FlagType, Prerequisite, Rule, Variation } from './types.ts';

/** A problem of a flag with its path, for example `variations[1].weight`: `negative`. */
export interface Problem {
  readonly path: string;
  readonly problem: string;
}

/** The maximum sum of a flag's weights. A hash of 32 bits divides it to within 0.03%. */
const MAX_TOTAL_WEIGHT = 1_000_000;

/** Returns the problems of a ruleset. Each path begins with the index of the flag: `[3].rolloutPercentage`. */
export function validateRuleset(flags: readonly Flag[]): Problem[] {
  const byKey = new Map(flags.map((flag) => [flag.key, flag]));
  return flags.flatMap((flag, index) => {
    const problems = problemsOf(flag, byKey);
    if (byKey.get(flag.key) !== flag) {
      problems.unshift({ path: 'key', problem: `duplicate key "${flag.key}"` });
    }
    return problems.map(({ path, problem }) => ({ path: `[${index}].${path}`, problem }));
  });
}

/**
 * Returns the problems of a flag to be stored with `others`. It replaces the one with the same key. Empty if it can
 * be stored.
 */
export function validateFlag(flag: Flag, others: readonly Flag[]): Problem[] {
  return problemsOf(flag, new Map([...others, flag].map((known) => [known.key, known])));
}

interface BrokenPrerequisite {
  /** The flag that has the prerequisite. */
  readonly dependentKey: string;
  readonly variationKey: string;
}

/**
 * Returns the prerequisites of other flags that a flag fulfils now but not after a change. If `after` is undefined,
 * the flag is to be deleted, and all of them are returned.
 */
export function brokenPrerequisites(
  before: Flag,
  after: Flag | undefined,
  flags: readonly Flag[],
): BrokenPrerequisite[] {
  const served = servedBy(before);
  const stays = after === undefined ? [] : servedBy(after);
  return flags.flatMap(({ key, prerequisites = [] }) =>
    prerequisites
      .filter(({ flagKey }) => flagKey === before.key && key !== before.key)
      .filter(({ variationKey }) => !stays.includes(variationKey))
      .filter(({ variationKey }) => after === undefined || served.includes(variationKey))
      .map(({ variationKey }) => ({ dependentKey: key, variationKey })),
  );
}

/** Returns the problems of a cohort. Its clauses cannot refer to cohorts. */
export function validateCohort(cohort: Cohort): Problem[] {
  return (cohort.match ?? []).flatMap((clause, index) =>
    isCohortClause(clause)
      ? [{ path: `match[${index}].op`, problem: 'a cohort cannot refer to another cohort' }]
      : [],
  );
}

function problemsOf(flag: Flag, byKey: ReadonlyMap<string, Flag>): Problem[] {
  const problems = [
    ...variationProblems(flag.variations ?? [], flag.type),
    ...ruleProblems(flag.rules ?? [], flag.variations ?? []),
  ];
  if (!isPercentage(flag.rolloutPercentage)) {
    problems.unshift({ path: 'rolloutPercentage', problem: 'not a whole number from 0 to 100' });
  }
  for (const [index, prerequisite] of (flag.prerequisites ?? []).entries()) {
    const problem = prerequisiteProblem(flag, prerequisite, byKey);
    if (problem !== undefined) {
      problems.push({ path: `prerequisites[${index}].${problem.path}`, problem: problem.problem });
    }
  }
  return problems;
}

function variationProblems(variations: readonly Variation[], type: FlagType | undefined): Problem[] {
  const problems: Problem[] = [];
  const keys = new Set<string>();
  for (const [index, { key, value, weight }] of variations.entries()) {
    const report = (part: string, problem: string) =>
      problems.push({ path: `variations[${index}].${part}`, problem });
    if (keys.has(key)) report('key', `duplicate key "${key}"`);
    keys.add(key);
    if (!isOfType(value, type)) report('value', `not a ${type}, which is the type of the flag`);
    if (weight < 0) report('weight', 'negative');
    else if (!isWeight(weight)) report('weight', 'not a whole number');
  }
  if (variations.length > 0 && variations.every(({ weight }) => weight === 0)) {
    problems.push({ path: 'variations', problem: 'the weights sum to 0; at least one must be positive' });
  }
  if (variations.reduce((sum, { weight }) => sum + weight, 0) > MAX_TOTAL_WEIGHT) {
    problems.push({ path: 'variations', problem: `the weights sum to more than ${MAX_TOTAL_WEIGHT}` });
  }
  return problems;
}

function ruleProblems(rules: readonly Rule[], variations: readonly Variation[]): Problem[] {
  const names = new Set<string>();
  return rules.flatMap(({ name, rolloutPercentage = 100, variation }, index) => {
    const problems: Problem[] = [];
    const report = (part: string, problem: string) =>
      problems.push({ path: `rules[${index}].${part}`, problem });
    if (name !== undefined && names.has(name)) report('name', `duplicate name "${name}"`);
    if (name !== undefined) names.add(name);
    if (!isPercentage(rolloutPercentage)) report('rolloutPercentage', 'not a whole number from 0 to 100');
    if (variation !== undefined && !variations.some(({ key }) => key === variation)) {
      report('variation', `there is no variation "${variation}"`);
    }
    return problems;
  });
}

function isOfType(value: unknown, type: FlagType | undefined): boolean {
  return type === undefined || type === 'json' || typeof value === type;
}

function prerequisiteProblem(
  flag: Flag,
  { flagKey, variationKey }: Prerequisite,
  byKey: ReadonlyMap<string, Flag>,
): Problem | undefined {
  const required = byKey.get(flagKey);
  if (required === undefined) return { path: 'flagKey', problem: `there is no flag "${flagKey}"` };
  const cycle = pathBetween(flagKey, flag.key, byKey);
  if (cycle !== undefined) {
    return { path: 'flagKey', problem: `creates a cycle: ${[flag.key, ...cycle].join(' -> ')}` };
  }
  const servable = servedBy(required);
  if (servable.includes(variationKey)) return undefined;
  const choices = servable.map((served) => `"${served}"`).join(', ');
  return {
    path: 'variationKey',
    problem: `flag "${flagKey}" never serves "${variationKey}"; it serves ${choices}`,
  };
}

function servedBy({ variations = [] }: Flag): string[] {
  return ['off', ...(variations.length === 0 ? ['on'] : variations.map(({ key }) => key))];
}

/** Returns the keys on the path of prerequisites from one flag to another, both included. */
function pathBetween(from: string, to: string, byKey: ReadonlyMap<string, Flag>): string[] | undefined {
  const cameFrom = new Map<string, string | undefined>([[from, undefined]]);
  for (const key of cameFrom.keys()) {
    if (key === to) return pathTo(key, cameFrom);
    for (const { flagKey } of byKey.get(key)?.prerequisites ?? []) {
      if (!cameFrom.has(flagKey)) cameFrom.set(flagKey, key);
    }
  }
  return undefined;
}

function pathTo(key: string, cameFrom: ReadonlyMap<string, string | undefined>): string[] {
  const path: string[] = [];
  for (let step: string | undefined = key; step !== undefined; step = cameFrom.get(step)) path.unshift(step);
  return path;
}
