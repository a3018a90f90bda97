import { type JoinedBy, PERSON_IDS_MAX_COUNT } from '@switchboard/contracts';

/** The first identify call that names an id as its anonymous id. */
export interface Claim {
  /** The call's timestamp in milliseconds since 1970. */
  at: number;
  by: string;
}

/** A colleague's decision about an id. It goes before the claim. */
export interface Decision {
  /** The id that it is joined to. Null: it is a person of its own. */
  to: string | null;
  /** The id that the colleague named. They join its person, so the decision is about the id that names that person. */
  named: string;
  /** Whether it was a person of its own by a decision that this one replaces. */
  wasAlone: boolean;
  /** Null if the colleague was erased. */
  sub: string | null;
  at: number;
}

/** Facts about a distinct id, from which its person follows. */
export interface Identity {
  distinctId: string;
  /** Whether it was ever the distinct id of an identify call. */
  isKnown: boolean;
  claim: Claim | undefined;
  /** Whether the claim is not applied, because the person has as many ids as it may have. */
  isBeyondBound: boolean;
  decision: Decision | undefined;
}

/** The id that an id is joined to. */
export interface Join {
  to: string;
  at: number;
  by: JoinedBy;
}

/** Returns whether a claim goes before another one of the same id. */
export function isEarlier(claim: Claim, other: Claim | undefined): boolean {
  return (
    other === undefined || claim.at < other.at || (claim.at === other.at && isBefore(claim.by, other.by))
  );
}

/** Returns the id that an id is joined to: as a colleague decided, or as claimed if it was never identified. */
export function joinOf({ isKnown, claim, isBeyondBound, decision }: Identity): Join | undefined {
  if (decision?.to != null)
    return { to: decision.to, at: decision.at, by: { kind: 'colleague', sub: decision.sub } };
  if (decision !== undefined || claim === undefined || isKnown || isBeyondBound) return undefined;
  return { to: claim.by, at: claim.at, by: { kind: 'identify' } };
}

/**
 * Returns the persons among these ids, each with the id that names it: the end of its chain of joins. If a colleague's
 * decision and a later claim form a circle, the lowest id in it names the person.
 */
export function personsOf(identities: ReadonlyMap<string, Identity>): Map<string, string[]> {
  const roots = new Map<string, string>();
  const rootOf = (distinctId: string): string => {
    const chain: string[] = [];
    let at = distinctId;
    for (;;) {
      const found = roots.get(at);
      const to = found === undefined ? targetOf(at) : undefined;
      const circle = found === undefined ? chain.indexOf(at) : -1;
      const root =
        found ?? (circle >= 0 ? chain.slice(circle).sort(order)[0] : to === undefined ? at : undefined);
      if (root !== undefined) {
        for (const one of [...chain, at]) roots.set(one, root);
        return root;
      }
      chain.push(at);
      at = to ?? at;
    }
  };
  const targetOf = (distinctId: string) => {
    const identity = identities.get(distinctId);
    return identity === undefined ? undefined : joinOf(identity)?.to;
  };
  return Map.groupBy([...identities.keys()].sort(order), rootOf);
}

/**
 * Decides which claims are applied: those of `changed` ids, earliest first, as long as the person has room. Claims of
 * other ids stay as they are. Changes `isBeyondBound`.
 */
export function boundClaims(identities: ReadonlyMap<string, Identity>, changed: ReadonlySet<string>): void {
  const all = [...identities.values()].filter(({ distinctId }) => changed.has(distinctId));
  for (const one of all) one.isBeyondBound = false;
  const claims = all.filter((one) => one.decision === undefined && joinOf(one) !== undefined);
  for (const one of claims) one.isBeyondBound = true;
  const sizes = sizesOf(personsOf(identities));
  claims.sort((a, b) => (isEarlier(a.claim ?? NEVER, b.claim) ? -1 : 1));
  for (const one of claims) {
    const [mine, theirs] = [sizes.get(one.distinctId), sizes.get(one.claim?.by ?? '')];
    if (mine === undefined || theirs === undefined) continue;
    const isOne = mine.ids === theirs.ids;
    if (!isOne && mine.ids.length + theirs.ids.length > PERSON_IDS_MAX_COUNT) continue;
    one.isBeyondBound = false;
    if (isOne) continue;
    const ids = [...mine.ids, ...theirs.ids];
    for (const id of ids) sizes.set(id, { ids });
  }
}

const NEVER: Claim = { at: Number.POSITIVE_INFINITY, by: '' };

function sizesOf(persons: ReadonlyMap<string, string[]>): Map<string, { ids: string[] }> {
  return new Map([...persons.values()].flatMap((ids) => ids.map((id) => [id, { ids }] as const)));
}

// By UTF-16 unit, so that every process orders alike.
const isBefore = (a: string, b: string) => a < b;
const order = (a: string, b: string) => (a === b ? 0 : isBefore(a, b) ? -1 : 1);
