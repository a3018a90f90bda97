import { certainty, type Request } from '../ledger.ts';
import { callTime, groupId, groupTraits, identifyTraits, type Numbered, person } from '../traffic.ts';

/** The state of people and groups as flags has it. */
export interface FoundState {
  people: { project: string; id: string; traits: Record<string, unknown>; groups: Record<string, unknown> }[];
  groups: { project: string; id: string; traits: Record<string, unknown> }[];
}

export interface StateVerdict {
  /** Calls that were accepted, that were invalid, and of unknown outcome. */
  accepted: number;
  rejected: number;
  unknown: number;
  /** Properties compared. */
  compared: number;
  faults: string[];
}

/** A value that a call gave a property; null removes the property. */
interface Claim {
  at: number;
  value: string | number | null;
  isSure: boolean;
}

type Claims = Map<string, Claim[]>;

/** Compares identify and group calls with the state: each property has the value of the newest accepted call. */
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

/** The value of the newest sure call, or of any unsure one that is newer; null where no call is sure. */
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
