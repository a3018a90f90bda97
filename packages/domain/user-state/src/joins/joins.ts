import { isDeepStrictEqual } from 'node:util';
import { PERSON_IDS_MAX_COUNT } from '@switchboard/contracts';
import { MEMBERSHIP_BOUNDS, PERSON_BOUNDS } from '../plan.ts';
import { foldProperties } from './fold.ts';
import { boundClaims, type Decision, type Join, joinOf, personsOf } from './rule.ts';
import type { JoinsStore, PersonSize, StoredIdentity, StoredPersonOfIds, StoredProperties } from './store.ts';

/**
 * Changes facts about ids, and then the persons that follow from them: the ids of each, and their folded traits and
 * groups. The caller holds the project's exclusive lock. `change` gets the stored identities of `distinctIds`, new ones
 * included, and may change them. Statements that do not depend on each other are sent together.
 */
export async function changeIdentities(
  store: JoinsStore,
  projectId: string,
  distinctIds: readonly string[],
  change: (identities: ReadonlyMap<string, StoredIdentity>) => void,
): Promise<void> {
  const sizes = createSizes(store, projectId);
  const [all] = await Promise.all([readAll(store, projectId, distinctIds), sizes.read(distinctIds)]);
  const before = new Map([...all].map(([id, identity]) => [id, { ...identity }]));
  const add = async (ids: readonly string[]) => {
    const missing = ids.filter((id) => !all.has(id));
    for (const [id, identity] of await readAll(store, projectId, missing)) {
      all.set(id, identity);
      before.set(id, { ...identity });
    }
  };
  const differs =
    (of: (identity: StoredIdentity | undefined) => unknown) =>
    ({ distinctId }: StoredIdentity) =>
      !isDeepStrictEqual(of(all.get(distinctId)), of(before.get(distinctId)));
  change(all);
  const changed = [...all.values()].filter(differs((identity) => identity));
  if (changed.length === 0) return;
  await refuseClaims(changed, before, sizes);

  const joined = await joinSingleIds(
    { store, projectId, all, add, sizes },
    changed.filter(differs(targetOf)),
  );
  for (const identity of joined) before.set(identity.distinctId, { ...identity });

  // Only ids that are joined or parted change persons. All ids of these persons are read.
  const moving = changed.filter(differs(targetOf));
  const named = moving.flatMap((one) => [one.distinctId, targetOf(one) ?? one.distinctId]);
  await add(named);
  const roots = named.map((id) => all.get(id)?.personId).filter((id) => id != null);
  const persons = roots.length === 0 ? [] : await store.findPersons(projectId, [...new Set(roots)]);
  const ids = new Set([...named, ...persons.flatMap((person) => person.ids)]);
  await add([...ids]);
  const concerned = new Map([...all].filter(([id]) => ids.has(id)));
  boundClaims(concerned, new Set(moving.map(({ distinctId }) => distinctId)));
  const now = personsOf(concerned);
  for (const [root, ofPerson] of now)
    for (const id of ofPerson) {
      const identity = all.get(id);
      if (identity !== undefined) identity.personId = ofPerson.length === 1 ? null : root;
    }
  const saved = [...all.values()].filter(differs((identity) => identity));
  const published = saved.filter(differs((identity) => identity && publishedOf(identity)));
  await Promise.all([
    saveIdentities(store, projectId, saved, published),
    saveFolded(store, projectId, now, persons),
  ]);
}

/** The sizes of the persons of ids, each read once. */
interface Sizes {
  read(distinctIds: readonly string[]): Promise<void>;
  /** Returns the person of an id after its size was read. Undefined: the id is a person of its own. */
  of(distinctId: string): PersonSize | undefined;
}

function createSizes(store: JoinsStore, projectId: string): Sizes {
  const known = new Map<string, PersonSize | undefined>();
  return {
    async read(distinctIds) {
      const missing = [...new Set(distinctIds)].filter((id) => !known.has(id));
      if (missing.length === 0) return;
      const found = await store.sizes(projectId, missing);
      for (const id of missing) known.set(id, found.get(id));
    },
    of: (distinctId) => known.get(distinctId),
  };
}

/** The identities of one call of `changeIdentities`. */
interface Reading {
  store: JoinsStore;
  projectId: string;
  all: ReadonlyMap<string, StoredIdentity>;
  add: (ids: readonly string[]) => Promise<void>;
  sizes: Sizes;
}

/**
 * Joins those ids that are persons of one id. Reads none of the ids that the persons they join have already. Persons
 * without room for all of them are left out. Returns the identities that it saved.
 */
async function joinSingleIds(
  { store, projectId, all, add, sizes }: Reading,
  moving: readonly StoredIdentity[],
): Promise<StoredIdentity[]> {
  const isMoving = new Set(moving.map(({ distinctId }) => distinctId));
  const single = moving.filter((one) => {
    const to = targetOf(one);
    return one.personId === null && to !== undefined && !isMoving.has(to);
  });
  if (single.length === 0) return [];
  const targets = [...new Set(single.flatMap((one) => targetOf(one) ?? []))];
  await Promise.all([add(targets), sizes.read(targets)]);
  const rootOf = (one: StoredIdentity) => {
    const to = targetOf(one) ?? one.distinctId;
    return sizes.of(to)?.personId ?? to;
  };
  const counts = new Map(
    targets.flatMap((id) => {
      const size = sizes.of(id);
      return size === undefined ? [] : [[size.personId, size.count] as const];
    }),
  );
  const created: PersonIds[] = [];
  const extended: PersonIds[] = [];
  for (const [personId, ids] of Map.groupBy(single, rootOf)) {
    const count = counts.get(personId);
    if ((count ?? 1) + ids.length > PERSON_IDS_MAX_COUNT) continue;
    const root = all.get(personId);
    const added = count === undefined && root !== undefined ? [root, ...ids] : ids;
    for (const identity of added) identity.personId = personId;
    const person = { personId, ids: added.map(({ distinctId }) => distinctId) };
    (count === undefined ? created : extended).push(person);
  }
  const saved = [...created, ...extended].flatMap(({ ids }) => ids.flatMap((id) => all.get(id) ?? []));
  if (saved.length === 0) return [];
  const [ofNew, ofStored] = await Promise.all([
    foldPersons(store, projectId, created, { areStored: false }),
    foldPersons(store, projectId, extended, { areStored: true }),
  ]);
  const published = saved.filter((one) => publishedOf(one) !== null);
  await Promise.all([
    saveIdentities(store, projectId, saved, published),
    ofNew.length > 0 && store.savePersons(ofNew),
    ofStored.length > 0 && store.addIds(ofStored),
  ]);
  return saved;
}

async function saveIdentities(
  store: JoinsStore,
  projectId: string,
  saved: readonly StoredIdentity[],
  published: readonly StoredIdentity[],
): Promise<void> {
  if (saved.length === 0) return;
  await Promise.all([
    store.save(projectId, saved),
    published.length > 0 &&
      store.announce(
        projectId,
        published.map(({ distinctId }) => distinctId),
      ),
  ]);
}

const targetOf = (identity: StoredIdentity | undefined): string | undefined =>
  identity && joinOf(identity)?.to;

/**
 * Decides again about the claims of changed identities. Refuses new ones of persons that have no room by the number of
 * ids, because a read of the ids for each refused claim would let one project delay the calls of others.
 */
async function refuseClaims(
  changed: readonly StoredIdentity[],
  before: ReadonlyMap<string, StoredIdentity>,
  sizes: Sizes,
): Promise<void> {
  for (const identity of changed) identity.isBeyondBound = false;
  const claims = changed.flatMap((identity) => {
    const { distinctId, decision } = identity;
    const to = targetOf(identity);
    const isNew =
      to !== undefined && decision === undefined && targetOf(before.get(distinctId)) === undefined;
    return isNew ? [{ identity, to }] : [];
  });
  await sizes.read(claims.flatMap(({ identity, to }) => [identity.distinctId, to]));
  const personOf = (id: string) => sizes.of(id) ?? { personId: id, count: 1 };
  for (const { identity, to } of claims) {
    const [mine, theirs] = [personOf(identity.distinctId), personOf(to)];
    identity.isBeyondBound =
      mine.personId !== theirs.personId && mine.count + theirs.count > PERSON_IDS_MAX_COUNT;
  }
}

/** Returns the person and the join that the topic `people` has of an id. */
function publishedOf(identity: StoredIdentity) {
  const { distinctId, personId } = identity;
  return personId === null || personId === distinctId ? null : [personId, joinOf(identity)];
}

async function saveFolded(
  store: JoinsStore,
  projectId: string,
  persons: ReadonlyMap<string, string[]>,
  before: readonly StoredPersonOfIds[],
): Promise<void> {
  const last = new Map(before.map(({ personId, ids }) => [personId, ids]));
  const changed = [...persons].filter(
    ([personId, ids]) => ids.length > 1 && !isDeepStrictEqual(new Set(last.get(personId)), new Set(ids)),
  );
  const gone = [...last.keys()].filter((personId) => (persons.get(personId)?.length ?? 0) < 2);
  const several = changed.map(([personId, ids]) => ({ personId, ids }));
  const [folded] = await Promise.all([
    foldPersons(store, projectId, several, { areStored: false }),
    gone.length > 0 && store.removePersons(projectId, gone),
  ]);
  if (folded.length > 0) await store.savePersons(folded);
}

/** Ids of a person. */
interface PersonIds {
  personId: string;
  ids: readonly string[];
}

/** Folds the traits and groups of these ids into those of their persons. Stored persons have further ids. */
async function foldPersons(
  store: JoinsStore,
  projectId: string,
  persons: readonly PersonIds[],
  { areStored }: { areStored: boolean },
): Promise<StoredPersonOfIds[]> {
  if (persons.length === 0) return [];
  const personOf = new Map(persons.flatMap(({ personId, ids }) => ids.map((id) => [id, personId] as const)));
  const ids = [...personOf.keys()];
  const [, stored, properties] = await Promise.all([
    store.createPeople(projectId, ids),
    areStored ? store.lockPersons(persons.map(({ personId }) => ({ projectId, personId }))) : [],
    store.properties(projectId, ids),
  ]);
  const own = new Map(stored.map((one) => [one.personId, one]));
  const added = Map.groupBy(properties, ({ distinctId }) => personOf.get(distinctId));
  return persons.map(({ personId, ids: ofPerson }) => {
    const mine = own.get(personId);
    const all = [...(mine === undefined ? [] : [mine]), ...(added.get(personId) ?? [])];
    return { projectId, personId, ids: [...ofPerson], ...foldAll(all) };
  });
}

const foldAll = (each: readonly Omit<StoredProperties, 'distinctId'>[]) => ({
  traits: foldProperties(
    each.map(({ traits }) => traits),
    PERSON_BOUNDS,
  ),
  groups: foldProperties(
    each.map(({ groups }) => groups),
    MEMBERSHIP_BOUNDS,
  ),
  seenOn:
    each
      .map((one) => one.seenOn)
      .sort()
      .at(-1) ?? '',
});

/** Returns identities by id, with one for each id that has none. */
async function readAll(
  store: JoinsStore,
  projectId: string,
  distinctIds: readonly string[],
): Promise<Map<string, StoredIdentity>> {
  const all = new Map(distinctIds.map((id) => [id, unknownId(id)]));
  if (all.size === 0) return all;
  for (const identity of await store.read(projectId, [...all.keys()])) all.set(identity.distinctId, identity);
  return all;
}

const unknownId = (distinctId: string): StoredIdentity => ({
  distinctId,
  isKnown: false,
  claim: undefined,
  isBeyondBound: false,
  decision: undefined,
  personId: null,
});

/** The ids of a person: the one that names it first, each of the others with its join. */
export interface PersonWithIds {
  personId: string;
  ids: StoredIdentity[];
  /** The number of ids that identify calls named and that the person has no room for, counted up to 10,001. */
  beyondBound: number;
}

/** Returns the person of an id. */
export async function readPerson(
  store: JoinsStore,
  projectId: string,
  distinctId: string,
): Promise<PersonWithIds> {
  const own = (await readAll(store, projectId, [distinctId])).get(distinctId) ?? unknownId(distinctId);
  const personId = own.personId ?? distinctId;
  const [person] = own.personId === null ? [] : await store.findPersons(projectId, [own.personId]);
  const ids = person?.ids ?? [distinctId];
  const all = await readAll(store, projectId, ids);
  return {
    personId,
    ids: [...all.values()].sort(
      (a, b) => Number(b.distinctId === personId) - Number(a.distinctId === personId),
    ),
    beyondBound: await store.countBeyondBound(projectId, ids),
  };
}

/** A decision that cannot be made. The message says what to do. */
export class JoinConflict extends Error {
  override name = 'JoinConflict';
}

interface DecisionOptions {
  projectId: string;
  /** Any id of the person. */
  distinctId: string;
  /** Any id of the other person, or of the part. */
  joinedId: string;
  sub: string;
  at: number;
}

/** Joins the person of one id to that of another. The caller holds the exclusive lock. Throws JoinConflict. */
export async function joinPersons(store: JoinsStore, options: DecisionOptions): Promise<void> {
  const { projectId, distinctId, joinedId, sub, at } = options;
  const mine = await readPerson(store, projectId, distinctId);
  const theirs = await readPerson(store, projectId, joinedId);
  if (mine.personId === theirs.personId) return;
  if (mine.ids.length + theirs.ids.length > PERSON_IDS_MAX_COUNT)
    throw new JoinConflict(
      `The persons have ${mine.ids.length} and ${theirs.ids.length} ids. A person has at most ${PERSON_IDS_MAX_COUNT.toLocaleString('en')}. Part ids that are not of this person first.`,
    );
  const [root] = theirs.ids;
  if (root === undefined) return;
  // Undoes a decision against the call that joined it before.
  const isRestored = isIn(mine, joinOf({ ...root, decision: undefined }));
  const wasAlone = root.decision !== undefined;
  const joined: Decision = { to: mine.personId, named: joinedId, wasAlone, sub, at };
  await decide(store, projectId, root.distinctId, isRestored ? undefined : joined);
}

/**
 * Parts an id from a person: undoes the decision that joined it, or decides against the call that did. The caller holds
 * the exclusive lock. Throws JoinConflict. Returns whether the person had the id.
 */
export async function partIds(store: JoinsStore, options: DecisionOptions): Promise<boolean> {
  const { projectId, distinctId, joinedId, sub, at } = options;
  const person = await readPerson(store, projectId, distinctId);
  const all = new Map(person.ids.map((one) => [one.distinctId, one]));
  if (!all.has(joinedId)) return false;
  if (joinedId === person.personId && person.ids.length > 1)
    throw new JoinConflict(`${joinedId} names this person. Part the other ids instead.`);
  if (person.ids.length === 1) return false;
  const decided = all.get(madeFor(all, joinedId) ?? joinedId);
  if (decided === undefined) return false;
  const staysWithout = isIn(person, joinOf({ ...decided, decision: undefined }));
  const isAlone = staysWithout || decided.decision?.wasAlone === true;
  const alone: Decision = { to: null, named: joinedId, wasAlone: false, sub, at };
  await decide(store, projectId, decided.distinctId, isAlone ? alone : undefined);
  return true;
}

/** Returns the id that a colleague joined by naming this one, if it is on the way to the id that names the person. */
function madeFor(all: ReadonlyMap<string, StoredIdentity>, joinedId: string): string | undefined {
  const seen = new Set<string>();
  for (let at: string | undefined = joinedId; at !== undefined && !seen.has(at); ) {
    seen.add(at);
    const identity = all.get(at);
    if (identity?.decision?.to != null && identity.decision.named === joinedId) return at;
    at = identity === undefined ? undefined : joinOf(identity)?.to;
  }
  return undefined;
}

const isIn = ({ ids }: PersonWithIds, join: Join | undefined): boolean =>
  ids.some(({ distinctId }) => distinctId === join?.to);

function decide(
  store: JoinsStore,
  projectId: string,
  distinctId: string,
  decision: Decision | undefined,
): Promise<void> {
  return changeIdentities(store, projectId, [distinctId], (all) => {
    const identity = all.get(distinctId);
    if (identity !== undefined) identity.decision = decision;
  });
}

/**
 * Returns further ids of the persons of these ids, as long as all together are at most 1,000: a person who would exceed
 * that is left out.
 */
export async function otherIdsOf(
  store: JoinsStore,
  projectId: string,
  distinctIds: readonly string[],
): Promise<string[]> {
  const all = new Set(distinctIds);
  const own = await store.read(projectId, distinctIds);
  const roots = new Set(own.map(({ personId }) => personId).filter((id) => id !== null));
  for (const { ids } of await store.findPersons(projectId, [...roots])) {
    const others = ids.filter((id) => !all.has(id));
    if (all.size + others.length <= PERSON_IDS_MAX_COUNT) for (const id of others) all.add(id);
  }
  return [...all].slice(new Set(distinctIds).size);
}

/** Removes everything about these ids. The caller holds the exclusive lock. */
export async function eraseIds(
  store: JoinsStore,
  projectId: string,
  distinctIds: readonly string[],
): Promise<void> {
  const erased = new Set(distinctIds);
  const people = await store.read(projectId, distinctIds);
  const roots = people.map(({ personId }) => personId).filter((id) => id !== null);
  const persons = await store.findPersons(projectId, [...new Set(roots)]);
  const ids = new Set([...distinctIds, ...persons.flatMap((person) => person.ids)]);
  await changeIdentities(store, projectId, [...ids], (all) => {
    for (const identity of all.values()) {
      const { distinctId, claim, decision } = identity;
      const isErased = erased.has(distinctId);
      if (isErased) identity.isKnown = false;
      if (isErased || (claim !== undefined && erased.has(claim.by))) identity.claim = undefined;
      if (isErased || (decision?.to != null && erased.has(decision.to))) identity.decision = undefined;
      else if (decision !== undefined && erased.has(decision.named))
        identity.decision = { ...decision, named: distinctId };
    }
  });
  // Claims that are not applied can be many. The others are those of the persons' ids.
  await store.removeClaims(projectId, distinctIds);
  await store.remove(projectId, distinctIds);
}
