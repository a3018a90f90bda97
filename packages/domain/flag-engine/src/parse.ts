import { type ClauseTest, compileClauses, isCohortClause } from './clauses/clauses.ts';
import { isRecord } from './json.ts';
import type { Prerequisite, Variation } from './types.ts';

/** The parts of a flag that evaluation needs. */
export interface FlagDefinition {
  readonly rules: readonly ParsedRule[];
  readonly targeting: readonly ClauseTest[];
  readonly rolloutPercentage: number;
  readonly variations: readonly Variation[];
  /** Whether a clause is about cohorts. */
  readonly usesCohorts: boolean;
}

export interface ParsedRule {
  /** The name of the rule, or its path in the flag. */
  readonly label: string;
  readonly targeting: readonly ClauseTest[];
  readonly rolloutPercentage: number;
  /** The key of the variation to serve. */
  readonly variation: string | undefined;
  readonly usesCohorts: boolean;
}

export interface ParsedFlag {
  readonly key: string;
  /** The value of the flag when it is off. */
  readonly offValue: false | null;
  readonly disabled: boolean;
  readonly prerequisites: readonly Prerequisite[];
  /** Undefined if the entry is malformed, so that the flag cannot be evaluated. */
  readonly definition: FlagDefinition | undefined;
}

/** Parses a ruleset entry of unknown shape. Returns `undefined` if it has no key. */
export function parseFlag(entry: unknown): ParsedFlag | undefined {
  if (!isRecord(entry) || typeof entry['key'] !== 'string') return undefined;
  const prerequisites = parseList(entry['prerequisites'], parsePrerequisite);
  return {
    key: entry['key'],
    offValue: isAbsent(entry['type']) || entry['type'] === 'boolean' ? false : null,
    disabled: entry['enabled'] === false,
    prerequisites: prerequisites ?? NONE,
    definition: prerequisites === undefined ? undefined : parseDefinition(entry),
  };
}

function parseDefinition(entry: Readonly<Record<string, unknown>>): FlagDefinition | undefined {
  const { enabled, rolloutPercentage, targeting, variations: variationEntries, rules: ruleEntries } = entry;
  const tests = isAbsent(targeting) ? NONE : compileClauses(targeting);
  const variations = parseList(variationEntries, parseVariation);
  if (enabled !== true || !isPercentage(rolloutPercentage)) return undefined;
  if (tests === undefined || variations === undefined) return undefined;
  if (variations.length > 0 && variations.every(({ weight }) => weight === 0)) return undefined;
  const rules = parseList(ruleEntries, (rule, index) => parseRule(rule, index, variations));
  if (rules === undefined) return undefined;
  const usesCohorts = namesCohorts(targeting) || rules.some((rule) => rule.usesCohorts);
  return { rules, targeting: tests, rolloutPercentage, variations, usesCohorts };
}

function parseRule(entry: unknown, index: number, variations: readonly Variation[]): ParsedRule | undefined {
  if (!isRecord(entry)) return undefined;
  const { name, targeting: clauses, rolloutPercentage, variation: wanted } = entry;
  const percentage = isAbsent(rolloutPercentage) ? 100 : rolloutPercentage;
  const targeting = compileClauses(clauses);
  if (targeting === undefined || !isPercentage(percentage)) return undefined;
  const variation = variations.find(({ key }) => key === wanted)?.key;
  if (variation === undefined && !isAbsent(wanted)) return undefined;
  const label = typeof name === 'string' ? name : `rules[${index}]`;
  return { label, targeting, rolloutPercentage: percentage, variation, usesCohorts: namesCohorts(clauses) };
}

function namesCohorts(clauses: unknown): boolean {
  return Array.isArray(clauses) && clauses.some(isCohortClause);
}

function parsePrerequisite(entry: unknown): Prerequisite | undefined {
  if (!isRecord(entry)) return undefined;
  const { flagKey, variationKey } = entry;
  return typeof flagKey === 'string' && typeof variationKey === 'string'
    ? { flagKey, variationKey }
    : undefined;
}

function parseVariation(entry: unknown): Variation | undefined {
  if (!isRecord(entry)) return undefined;
  const { key, value = null, weight } = entry;
  return typeof key === 'string' && isWeight(weight) ? { key, value, weight } : undefined;
}

/** Shared, because most lists are absent. */
const NONE: readonly never[] = [];

/** Parses every element. An absent list is empty. Returns `undefined` if any element is malformed. */
function parseList<T>(
  list: unknown,
  parse: (element: unknown, index: number) => T | undefined,
): readonly T[] | undefined {
  if (isAbsent(list)) return NONE;
  if (!Array.isArray(list)) return undefined;
  const parsed = list.map(parse).filter((element) => element !== undefined);
  return parsed.length === list.length ? parsed : undefined;
}

export function isPercentage(value: unknown): value is number {
  return isWeight(value) && value <= 100;
}

export function isWeight(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isAbsent(value: unknown): boolean {
  return value === undefined || value === null;
}
