/** A kind of event, its count and its first place. */
export interface Counted {
  kind: string;
  count: number;
  first: string;
}

/** How often something happened, by kind, with its first place. */
export interface Counts {
  add(kind: string, place: string): void;
  /** The most frequent first. */
  list(): Counted[];
}

const MAX_KINDS = 100;
const OTHER = 'another reason';

export function createCounts(): Counts {
  const known = new Map<string, { count: number; first: string }>();
  return {
    add(kind, place) {
      const name = known.has(kind) || known.size < MAX_KINDS ? kind : OTHER;
      const entry = known.get(name) ?? { count: 0, first: place };
      entry.count += 1;
      known.set(name, entry);
    },
    list: () =>
      [...known]
        .map(([kind, entry]) => ({ kind, ...entry }))
        .toSorted((one, other) => other.count - one.count),
  };
}
