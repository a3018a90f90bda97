import type { StateChange } from '../decode.ts';
import { OutOfBounds } from '../merge.ts';
import type { PersonKey } from '../person-key.ts';
import { isSeenLater, planPerson } from '../plan.ts';
import { changeIdentities } from './joins.ts';
import { isEarlier } from './rule.ts';
import type { JoinsStore, StoredFolded, StoredIdentity } from './store.ts';

/** Ids of these projects were joined and are now identified, which needs the exclusive lock. */
export class PartsIds extends Error {
  override name = 'PartsIds';
  readonly projectIds: ReadonlySet<string>;

  constructor(projectIds: ReadonlySet<string>) {
    super('identified ids were joined');
    this.projectIds = projectIds;
  }
}

/** The joining and folding of the changes of one transaction. */
export interface Joining {
  /** Locks the persons with several ids that the changes concern. */
  lockPersons(): Promise<void>;
  /** Merges a change into the person, if it has several ids. */
  fold(change: StateChange): void;
  /** Stores the persons, and joins and parts ids. Called once people are stored. */
  save(): Promise<void>;
}

type Claiming = Extract<StateChange, { kind: 'identify' }> & { anonymousId: string };

/**
 * Takes the locks of the projects. Throws PartsIds if they must be exclusive ones. Sends its statements before it
 * returns, so that those of the caller may follow without waiting.
 */
export async function beginJoins(
  store: JoinsStore | undefined,
  changes: readonly StateChange[],
  parts: ReadonlySet<string>,
): Promise<Joining | undefined> {
  if (store === undefined) return undefined;
  const claims = changes.filter(isClaiming);
  const exclusive = new Set([...parts, ...claims.map(({ projectId }) => projectId)]);
  const [, found] = await Promise.all([
    store.lockProjects(
      new Map(changes.map(({ projectId }) => [projectId, exclusive.has(projectId)] as const)),
    ),
    store.readFacts(changes),
  ]);
  const facts = new Map(found.map((one) => [keyOf(one), one]));
  const first = changes.filter((one) => one.kind === 'identify' && facts.get(keyOf(one))?.isKnown !== true);
  const parted = first.filter((one) => !exclusive.has(one.projectId) && facts.get(keyOf(one))?.hasClaim);
  if (parted.length > 0)
    throw new PartsIds(new Set([...exclusive, ...parted.map(({ projectId }) => projectId)]));

  const persons = new Map<string, StoredFolded>();
  const folded = new Set<StoredFolded>();

  return {
    async lockPersons() {
      const keys = [...facts.values()].flatMap(({ projectId, personId }) =>
        personId === null ? [] : [{ projectId, personId }],
      );
      if (keys.length === 0) return;
      for (const person of await store.lockPersons(keys))
        persons.set(keyOf({ ...person, distinctId: person.personId }), person);
    },

    fold(change) {
      const { projectId } = change;
      const personId = facts.get(keyOf(change))?.personId;
      const person = personId == null ? undefined : persons.get(keyOf({ projectId, distinctId: personId }));
      if (person === undefined) return;
      if (isSeenLater(person, change)) folded.add(person);
      try {
        const merge = planPerson(change, person);
        merge?.();
        if (merge !== undefined) folded.add(person);
      } catch (error) {
        // The id keeps the traits, although the person has no room for them.
        if (!(error instanceof OutOfBounds)) throw error;
      }
    },

    async save() {
      const known = new Map(
        first.filter((one) => !exclusive.has(one.projectId)).map((one) => [keyOf(one), one]),
      );
      await Promise.all([
        folded.size > 0 && store.saveFolded([...folded]),
        known.size > 0 && store.markKnown([...known.values()]),
        ...Array.from(exclusive, (projectId) => {
          const ofProject = <T extends PersonKey>(all: readonly T[]) =>
            all.filter((one) => one.projectId === projectId);
          return applyCalls(store, projectId, { first: ofProject(first), claims: ofProject(claims) });
        }),
      ]);
    },
  };
}

async function applyCalls(
  store: JoinsStore,
  projectId: string,
  { first, claims }: { first: readonly StateChange[]; claims: readonly Claiming[] },
): Promise<void> {
  const named = new Set(claims.map(({ anonymousId }) => anonymousId));
  const ids = new Set([...first, ...claims].map(({ distinctId }) => distinctId));
  await Promise.all([
    named.size > 0 && store.createPeople(projectId, [...named]),
    changeIdentities(store, projectId, [...ids, ...named], (all) => {
      for (const { distinctId } of first) mark(all.get(distinctId));
      for (const { distinctId, anonymousId, stamp } of claims) {
        const identity = all.get(anonymousId);
        const claim = { at: stamp[0], by: distinctId };
        if (identity !== undefined && isEarlier(claim, identity.claim)) identity.claim = claim;
      }
    }),
  ]);
}

function mark(identity: StoredIdentity | undefined): void {
  if (identity !== undefined) identity.isKnown = true;
}

function isClaiming(change: StateChange): change is Claiming {
  return (
    change.kind === 'identify' && change.anonymousId !== undefined && change.anonymousId !== change.distinctId
  );
}

// Ids cannot contain NUL.
const keyOf = ({ projectId, distinctId }: PersonKey) => `${projectId}\0${distinctId}`;
