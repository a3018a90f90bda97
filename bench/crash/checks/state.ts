import { certainty, type Request } from '../ledger.ts';
import { callTime, groupId, groupTraits, identifyTraits, type Numbered, person } from '../traffic.ts';

/** The state of people and groups in the flags service. */
export interface FoundState {
  people: { project: string; id: string; traits: Record<string, unknown>; groups: Record<string, unknown> }[];
  groups: { project: string; id: string; traits: Record<string, unknown> }[];
}

export interface StateVerdict {
  /** The number of accepted calls, invalid calls, and calls with an unknown outcome. */
  accepted: number;
  rejected: number;
  unknown: number;
  /** The number of compared properties. */
  compared: number;
  faults: string[];
}

/** A property value that a call set. null removes the property. */
interface Claim {
  at: number;
  value: string | number | null;
  isSure: boolean;
}

type Claims = Map<string, Claim[]>;

/**
 * Compares identify and group calls with the state: each property must have the value of the newest accepted call.
 */
export function checkState(requests: readonly Request[], found: FoundState, base: number): StateVerdict {
  const claims: Claims = new Map();
  const verdict: StateVerdict = { accepted: 0, rejected: 0, unknown: 0, compared: 0, faults: [] };
  const claim = (name: string, one: Claim) => {
    const others = claims.get(name);
    if (others === undefined) claims.set(name, [one]);
    else others.push(one);
  };
  for (const request of requests) {
    if (request.kind !== 'identify' && request.kind !== 'group') continue;
    const sure = certainty(request);
    if (sure === 'yes') verdict.accepted++;
    if (sure === 'no') verdict.rejected++;
    if (sure === 'maybe') verdict.unknown++;
    if (sure === 'no') continue;
    const numbered = { project: request.project, round: request.round, number: request.first };
    const when = { at: callTime(numbered, base), isSure: sure === 'yes' };
    for (const [property, value] of claimsOf(request.kind, numbered)) claim(property, { ...when, value });
  }
  const actual = flatten(found);
  for (const [name, contenders] of claims) {
    verdict.compared++;
    const value = actual.get(name) ?? null;
    actual.delete(name);
    if (!possible(contenders).has(value)) {
      verdict.faults.push(`${name}: is ${value}, expected ${[...possible(contenders)].join(' or ')}`);
    }
  }
  for (const [name, value] of actual) verdict.faults.push(`${name}: is ${value}, which no accepted call set`);
  return verdict;
}

/**
 * Returns the value of the newest call that was certainly stored, and those of newer uncertain calls. Includes null
 * if no call is certain.
 */
function possible(contenders: readonly Claim[]): Set<unknown> {
  const newest = contenders
    .filter(({ isSure }) => isSure)
    .reduce<Claim | undefined>(
      (best, one) => (best === undefined || one.at > best.at ? one : best),
      undefined,
    );
  const newer = contenders.filter(
    ({ isSure, at }) => !isSure && at > (newest?.at ?? Number.NEGATIVE_INFINITY),
  );
  return new Set([newest?.value ?? null, ...newer.map(({ value }) => value)]);
}

function claimsOf(kind: 'identify' | 'group', numbered: Numbered): [string, Claim['value']][] {
  const { project } = numbered;
  const of = (subject: string, traits: Record<string, Claim['value']>) =>
    Object.entries(traits).map(([trait, value]): [string, Claim['value']] => [
      `${project} ${subject} ${trait}`,
      value,
    ]);
  if (kind === 'identify') return of(person(numbered), identifyTraits(numbered));
  const group = groupId(numbered);
  return [
    [`${project} ${person(numbered)} in company`, group],
    ...(group === null ? [] : of(group, groupTraits(numbered))),
  ];
}

function flatten({ people, groups }: FoundState): Map<string, unknown> {
  const flat = new Map<string, unknown>();
  for (const { project, id, traits, groups: memberships } of people) {
    for (const [trait, value] of Object.entries(traits)) flat.set(`${project} ${id} ${trait}`, value);
    for (const [type, group] of Object.entries(memberships)) flat.set(`${project} ${id} in ${type}`, group);
  }
  for (const { project, id, traits } of groups) {
    for (const [trait, value] of Object.entries(traits)) flat.set(`${project} ${id} ${trait}`, value);
  }
  return flat;
}
