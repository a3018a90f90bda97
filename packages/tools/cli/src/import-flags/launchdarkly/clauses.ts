import type { Clause } from '@switchboard/contracts';
import { parseInstant, parseSemanticVersion } from '@switchboard/flag-engine';
import { type Draft, hashOf, Inexpressible, listedPeople, negationOf } from '../conversion/conversion.ts';
import type { LaunchDarklyClause, LaunchDarklySegment } from './dump.ts';

/** Segments by key. */
export type Segments = ReadonlyMap<string, LaunchDarklySegment>;

/** Returns the clauses that match the same people as a clause of LaunchDarkly. Throws Inexpressible. */
export function clausesOf(clause: LaunchDarklyClause, draft: Draft, segments: Segments): Clause[] {
  const { op, values, negate } = clause;
  if (op === 'segmentMatch') {
    const ids = values.flatMap((key) => cohortsOf(String(key), draft, segments));
    return [{ attribute: 'distinct_id', op: negate ? 'not_in_cohort' : 'in_cohort', value: ids }];
  }
  const attribute = attributeOf(clause, draft);
  // A clause of LaunchDarkly does not match a missing attribute, also if it is negated.
  const present: Clause[] = attribute === 'distinct_id' ? [] : [{ attribute, op: 'is_set' }];
  if (op === 'in') return [...oneOf(attribute, values, negate === true, draft), ...(negate ? present : [])];
  const matched = comparison(attribute, op, values);
  if (!negate) return matched;
  const name = `${attribute} ${op} ${values.join(', ')}`;
  return [negationOf(matched, { draft, product: 'launchdarkly', name }), ...present];
}

function attributeOf({ attribute, contextKind }: LaunchDarklyClause, draft: Draft): string {
  const name = (attribute ?? '').replace(/^\/([^/~]+)$/, '$1');
  if (name.startsWith('/')) throw new Inexpressible(`the nested attribute ${name}`);
  if (name === 'kind' || name === '') throw new Inexpressible('a clause on the kind of a context');
  if (contextKind == null || contextKind === 'user') return name === 'key' ? 'distinct_id' : name;
  if (name === 'key' || contextKind.includes('.'))
    throw new Inexpressible(`a clause on the key of a context of the kind ${contextKind}`);
  draft.warn(`reads the context ${contextKind}, which is a group here`);
  return `group.${contextKind}.${name}`;
}

function oneOf(
  attribute: string,
  values: LaunchDarklyClause['values'],
  isNegated: boolean,
  draft: Draft,
): Clause[] {
  const op = isNegated ? 'not_in' : 'in';
  if (attribute !== 'distinct_id') return [{ attribute, op, value: values }];
  const ofList = { id: `launchdarkly-${hashOf(values)}`, name: `${values.length} people of LaunchDarkly` };
  return [listedPeople(values.map(String), { draft, ofList, op })];
}

const ORDERS = {
  lessThan: 'lt',
  lessThanOrEqual: 'lte',
  greaterThan: 'gt',
  greaterThanOrEqual: 'gte',
  before: 'lt',
  after: 'gt',
  semVerLessThan: 'lt',
  semVerGreaterThan: 'gt',
} as const;

function comparison(attribute: string, op: string, values: LaunchDarklyClause['values']): Clause[] {
  if (op === 'contains') return [{ attribute, op: 'contains', value: values.map(String) }];
  const [value, ...others] = values;
  if (others.length > 0 || value === undefined) throw new Inexpressible(`${op} with ${values.length} values`);
  switch (op) {
    case 'lessThan':
    case 'lessThanOrEqual':
    case 'greaterThan':
    case 'greaterThanOrEqual':
      if (typeof value !== 'number') throw new Inexpressible(`${op} with ${value}, which is not a number`);
      return [{ attribute, op: ORDERS[op], value }];
    case 'before':
    case 'after':
      if (typeof value !== 'number' && parseInstant(value) === undefined)
        throw new Inexpressible(`${op} with ${value}, which is not a time`);
      return [{ attribute, op: ORDERS[op], value }];
    case 'semVerEqual':
      return [
        { attribute, op: 'gte', value: versionOf(op, value) },
        { attribute, op: 'lte', value: versionOf(op, value) },
      ];
    case 'semVerLessThan':
    case 'semVerGreaterThan':
      return [{ attribute, op: ORDERS[op], value: versionOf(op, value) }];
    default:
      throw new Inexpressible(`the operator ${op}`);
  }
}

/** LaunchDarkly accepts versions without the last parts. */
function versionOf(op: string, value: unknown): string {
  const padded = String(value).replace(
    /^\d+(\.\d+)?$/,
    (short) => `${short}${short.includes('.') ? '.0' : '.0.0'}`,
  );
  if (parseSemanticVersion(padded) === undefined)
    throw new Inexpressible(`${op} with ${value}, which is not a version`);
  return padded;
}

/** Returns the ids of the cohorts that together contain the people of a segment: one for each of its rules. */
function cohortsOf(key: string, draft: Draft, segments: Segments): string[] {
  const segment = segments.get(key);
  if (segment === undefined) throw new Inexpressible(`the segment ${key}; give the segments with --segments`);
  const refuse = (what: string) => new Inexpressible(`the segment ${key}, with ${what}`);
  const { included, excluded, includedContexts, excludedContexts, rules, unbounded } = segment;
  const isUsed = (one: { values?: string[] | null | undefined }) => (one.values ?? []).length > 0;
  if (unbounded) throw refuse('an unbounded list');
  if (includedContexts?.some(isUsed) || excludedContexts?.some(isUsed))
    throw refuse('contexts that are not people');
  const name = segment.name || key;
  const isNot: Clause[] = excluded?.length
    ? [listedPeople(excluded, { draft, ofList: { id: '', name }, op: 'not_in' })]
    : [];
  const matches = (rules ?? []).map(({ clauses, weight }) => {
    if (weight != null) throw refuse('a percentage');
    const match = [...clauses.flatMap((one) => clausesOf(one, draft, NO_SEGMENTS)), ...isNot];
    if (match.some(({ op }) => op.endsWith('in_cohort'))) throw refuse('a negated comparison or a long list');
    if (match.length === 0) throw refuse('a rule for everyone');
    return match;
  });
  const [first, ...others] = matches;
  const id = `launchdarkly-${key}`;
  draft.addCohort({ id, name, ...(first && { match: first }), distinctIds: [...new Set(included ?? [])] });
  const ids = others.map((match, index) => {
    const next = `${id}-${index + 2}`;
    draft.addCohort({ id: next, name: `${name} (${index + 2})`, match });
    return next;
  });
  return [id, ...ids];
}

const NO_SEGMENTS: Segments = new Map();
