import { type Problem, validateFlag } from '@switchboard/flag-engine';
import type { Clause, FlagEntry } from '@switchboard/management';
import { type ClauseDraft, clauseDrafts, clausesOf } from '../../clauses/draft.ts';
import type { Definition } from '../flags/words.ts';

export const TYPES = ['boolean', 'string', 'number', 'json'] as const;
type FlagType = (typeof TYPES)[number];

/** A variation while it is edited. `value` is what the person typed. */
export interface VariationDraft {
  id: string;
  key: string;
  value: string;
  weight: number;
}

/** A rule while it is edited. An empty variation means one by weight. */
export interface RuleDraft {
  id: string;
  name: string;
  targeting: ClauseDraft[];
  rolloutPercentage: number;
  variation: string;
}

export interface PrerequisiteDraft {
  id: string;
  flagKey: string;
  variationKey: string;
}

/** A flag while it is edited. Without a type, it has no values but on and off. */
export interface FlagDraft {
  enabled: boolean;
  description: string;
  type: FlagType | undefined;
  intent: FlagEntry['intent'];
  variations: VariationDraft[];
  prerequisites: PrerequisiteDraft[];
  rules: RuleDraft[];
  targeting: ClauseDraft[];
  rolloutPercentage: number;
}

/** A flag with its version. */
export interface Saved {
  flag: FlagEntry;
  version: number | undefined;
}

const newId = () => crypto.randomUUID();

const keptDrafts = (clauses: readonly Clause[] = []): ClauseDraft[] =>
  clauseDrafts(clauses).map((draft, at) => ({ ...draft, saved: clauses[at] }));

export const emptyRule = (): RuleDraft => ({
  id: newId(),
  name: '',
  targeting: [{ attribute: '', op: 'eq', value: '' }],
  rolloutPercentage: 100,
  variation: '',
});

/** Returns a variation with a key and a value that no other has. */
export function emptyVariation(others: readonly VariationDraft[], type: FlagDraft['type']): VariationDraft {
  const letter = 'abcdefghijklmnopqrstuvwxyz'[others.length] ?? String(others.length + 1);
  const value = type === 'boolean' ? String(others.length === 0) : type === 'string' ? '' : 'null';
  return { id: newId(), key: letter, value: type === 'number' ? String(others.length) : value, weight: 1 };
}

export const emptyPrerequisite = (): PrerequisiteDraft => ({ id: newId(), flagKey: '', variationKey: '' });

/** Returns the form in which a flag is edited. */
export function flagDraft(flag: Definition): FlagDraft {
  const { enabled, rolloutPercentage, description, type, intent } = flag;
  return {
    enabled,
    rolloutPercentage,
    description: description ?? '',
    type,
    intent,
    targeting: keptDrafts(flag.targeting),
    variations: (flag.variations ?? []).map(({ key, value, weight }) => ({
      id: newId(),
      key,
      value: typedValue(value, type),
      weight,
    })),
    prerequisites: (flag.prerequisites ?? []).map((one) => ({ id: newId(), ...one })),
    rules: (flag.rules ?? []).map((rule) => ({
      id: newId(),
      name: rule.name ?? '',
      targeting: keptDrafts(rule.targeting),
      rolloutPercentage: rule.rolloutPercentage ?? 100,
      variation: rule.variation ?? '',
    })),
  };
}

/** Returns what a person types for a value. */
const typedValue = (value: unknown, type: FlagDraft['type']): string =>
  type === 'string' && typeof value === 'string' ? value : JSON.stringify(value);

/** Returns the value that a person typed. Undefined if it does not have the type. */
function parsedValue(typed: string, type: FlagDraft['type']) {
  if (type === 'string') return typed;
  let isExact = true;
  try {
    const value = JSON.parse(typed, (_, part: unknown) => {
      if (Number.isInteger(part) && !Number.isSafeInteger(part)) isExact = false;
      return part;
    });
    const hasType = type === undefined || type === 'json' || typeof value === type;
    return hasType && isExact ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the draft with another type, and its values as far as they can have it. */
export function withType(draft: FlagDraft, type: FlagDraft['type']): FlagDraft {
  const variations = draft.variations.map((one) => {
    const value: unknown = parsedValue(one.value, draft.type);
    return { ...one, value: value === undefined ? one.value : typedValue(value, type) };
  });
  return { ...draft, type, variations };
}

/** Returns the flag as the API takes it. */
export function definitionOf(draft: FlagDraft): Definition {
  const { enabled, rolloutPercentage, description, type, intent } = draft;
  const targeting = clausesOf(draft.targeting);
  const rules = draft.rules.map((rule) => ({
    ...(rule.name.trim() !== '' && { name: rule.name.trim() }),
    targeting: clausesOf(rule.targeting),
    ...(rule.rolloutPercentage !== 100 && { rolloutPercentage: rule.rolloutPercentage }),
    ...(rule.variation !== '' && { variation: rule.variation }),
  }));
  const variations = draft.variations.map(({ key, value, weight }) => ({
    key,
    value: parsedValue(value, type) ?? null,
    weight,
  }));
  const prerequisites = draft.prerequisites.map(({ flagKey, variationKey }) => ({ flagKey, variationKey }));
  return {
    enabled,
    rolloutPercentage,
    ...(description.trim() !== '' && { description: description.trim() }),
    ...(type !== undefined && { type }),
    ...(intent !== undefined && { intent }),
    ...(rules.length > 0 && { rules }),
    ...(targeting.length > 0 && { targeting }),
    ...(variations.length > 0 && { variations }),
    ...(prerequisites.length > 0 && { prerequisites }),
  };
}

/** Returns whether two definitions are the same. Empty and absent lists are. */
export const isSame = (one: Definition, other: Definition): boolean =>
  JSON.stringify(definitionOf(flagDraft(one))) === JSON.stringify(definitionOf(flagDraft(other)));

/** Returns the definition of `theirs`, with the properties that `mine` changed since `base`. */
export function merged(base: Definition, mine: Definition, theirs: Definition): Definition {
  const [before, changed, now] = [base, mine, theirs].map((one) => definitionOf(flagDraft(one)));
  if (before === undefined || changed === undefined || now === undefined) return mine;
  const chosen = <K extends keyof Definition>(name: K): Definition[K] =>
    JSON.stringify(changed[name]) === JSON.stringify(before[name]) ? now[name] : changed[name];
  return {
    enabled: chosen('enabled'),
    rolloutPercentage: chosen('rolloutPercentage'),
    description: chosen('description'),
    type: chosen('type'),
    intent: chosen('intent'),
    rules: chosen('rules'),
    targeting: chosen('targeting'),
    variations: chosen('variations'),
    prerequisites: chosen('prerequisites'),
  };
}

/** Returns why the draft cannot be saved, each with its path, such as `rules[0].name`. */
export function problemsOf(draft: FlagDraft, key: string, flags: readonly FlagEntry[]): Problem[] {
  const problems: Problem[] = [];
  const incomplete = 'a condition is incomplete';
  if (clausesOf(draft.targeting).length !== draft.targeting.length)
    problems.push({ path: 'targeting', problem: incomplete });
  for (const [at, { targeting }] of draft.rules.entries()) {
    if (clausesOf(targeting).length !== targeting.length)
      problems.push({ path: `rules[${at}].targeting`, problem: incomplete });
  }
  for (const [at, one] of draft.variations.entries()) {
    if (one.key.trim() === '') problems.push({ path: `variations[${at}].key`, problem: 'a key is missing' });
    if (parsedValue(one.value, draft.type) === undefined)
      problems.push({ path: `variations[${at}].value`, problem: typeFault(draft.type) });
  }
  const known = new Set(problems.map(({ path }) => path));
  const others = validateFlag({ key, ...definitionOf(draft) }, flags);
  return [...problems, ...others.filter(({ path }) => !known.has(path))];
}

function typeFault(type: FlagDraft['type']): string {
  if (type === 'number') return 'not a number that JSON keeps exactly';
  return type === 'boolean' ? 'neither true nor false' : 'not JSON, such as {"a":1}';
}

/** Moves an entry of a list. */
export function moved<T>(list: readonly T[], from: number, to: number): T[] {
  const rest = list.filter((_, at) => at !== from);
  const one = list[from];
  return one === undefined || to < 0 || to > rest.length
    ? [...list]
    : [...rest.slice(0, to), one, ...rest.slice(to)];
}
