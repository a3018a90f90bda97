import type { Clause } from '@switchboard/contracts';
import { parseSemanticVersion } from '@switchboard/flag-engine';
import {
  type Draft,
  hashOf,
  Inexpressible,
  inCohort,
  listedPeople,
  negationOf,
} from '../conversion/conversion.ts';
import type { Constraint, Segment } from './export.ts';

/** Fields that Unleash's SDKs fill in by themselves. */
const FILLED_IN = ['appName', 'environment', 'remoteAddress', 'sessionId'];

/** Returns the attribute for a field of the context. */
export function attributeOf(contextName: string, draft: Draft): string {
  if (FILLED_IN.includes(contextName))
    draft.warn(`reads ${contextName}, which is a trait that your code has to set`);
  return contextName === 'userId' ? 'distinct_id' : contextName;
}

/** Returns the clauses that match the same people as a constraint. Throws Inexpressible. */
export function clausesOf(constraint: Constraint, draft: Draft): Clause[] {
  const { operator, inverted } = constraint;
  if (inverted !== true) return plainClauses(constraint, draft);
  if (operator === 'IN' || operator === 'NOT_IN')
    return plainClauses({ ...constraint, operator: operator === 'IN' ? 'NOT_IN' : 'IN' }, draft);
  const operand = String(constraint.value ?? constraint.values ?? '').slice(0, 100);
  const name = `${constraint.contextName} ${operator} ${operand}`;
  return [negationOf(plainClauses(constraint, draft), { draft, product: 'unleash', name })];
}

function plainClauses(constraint: Constraint, draft: Draft): Clause[] {
  const { contextName, operator, caseInsensitive } = constraint;
  const value = constraint.value ?? '';
  const values = (constraint.values ?? []).filter((one) => one !== '').map((one) => one.trim());
  if (caseInsensitive === true && operator.startsWith('STR_'))
    throw new Inexpressible(`${operator} that ignores case`);
  const attribute = attributeOf(contextName, draft);
  switch (operator) {
    case 'IN':
    case 'NOT_IN': {
      const op = operator === 'IN' ? 'in' : 'not_in';
      if (attribute !== 'distinct_id') return [{ attribute, op, value: values }];
      const ofList = { id: `unleash-${hashOf(values)}`, name: `${values.length} people of Unleash` };
      return [listedPeople(values, { draft, ofList, op })];
    }
    case 'STR_CONTAINS':
      return [{ attribute, op: 'contains', value: values }];
    case 'NUM_EQ':
      return [{ attribute, op: 'eq', value: numberOf(operator, value) }];
    case 'NUM_GT':
    case 'NUM_GTE':
    case 'NUM_LT':
    case 'NUM_LTE':
      return [{ attribute, op: ORDERS[operator], value: numberOf(operator, value) }];
    case 'SEMVER_EQ':
      // Equal precedence, ignoring build metadata. `eq` would compare the texts.
      return [
        { attribute, op: 'gte', value: versionOf(operator, value) },
        { attribute, op: 'lte', value },
      ];
    case 'SEMVER_GT':
    case 'SEMVER_GTE':
    case 'SEMVER_LT':
    case 'SEMVER_LTE':
      return [{ attribute, op: ORDERS[operator], value: versionOf(operator, value) }];
    case 'DATE_AFTER':
    case 'DATE_BEFORE':
      throw new Inexpressible(`${operator} ${value}; schedule a change of the flag instead`);
    default:
      throw new Inexpressible(operator);
  }
}

const ORDERS = {
  NUM_GT: 'gt',
  NUM_GTE: 'gte',
  NUM_LT: 'lt',
  NUM_LTE: 'lte',
  SEMVER_GT: 'gt',
  SEMVER_GTE: 'gte',
  SEMVER_LT: 'lt',
  SEMVER_LTE: 'lte',
} as const;

function numberOf(operator: string, value: string): number {
  const number = Number(value);
  if (value.trim() === '' || !Number.isFinite(number))
    throw new Inexpressible(`${operator} with ${value || 'nothing'}, which is not a number`);
  return number;
}

function versionOf(operator: string, value: string): string {
  if (parseSemanticVersion(value) === undefined)
    throw new Inexpressible(`${operator} with ${value || 'nothing'}, which is not a version`);
  return value;
}

/** Returns the clauses for a segment, which becomes a cohort. Throws Inexpressible. */
export function segmentClauses(segment: Segment, draft: Draft): Clause[] {
  const { id: segmentId, name, constraints = [] } = segment;
  if (constraints === null || constraints.length === 0) return [];
  const id = `unleash-segment-${segmentId}`;
  const [first] = constraints;
  if (
    constraints.length === 1 &&
    first?.contextName === 'userId' &&
    first.operator === 'IN' &&
    !first.inverted
  ) {
    const listed = (first.values ?? []).map((one) => one.trim()).filter((one) => one !== '');
    draft.addCohort({ id, name, distinctIds: [...new Set(listed)] });
    return [inCohort(id)];
  }
  const match = constraints.flatMap((constraint) => clausesOf(constraint, draft));
  if (match.some(({ op }) => op === 'in_cohort' || op === 'not_in_cohort'))
    throw new Inexpressible(`segment ${name}, which negates a comparison or lists many people`);
  draft.addCohort({ id, name, match });
  return [inCohort(id)];
}
