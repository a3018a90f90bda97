/** An entry of the palette. */
export interface Entry {
  title: string;
  /** The path below the project, with its query. */
  to: string;
  /** The word for its kind, such as "Flag". */
  kind: string;
  /** More text to find it by, such as its id. */
  also?: string | undefined;
  /** Shown beside the title, such as the words around a match. Default: the kind, among entries of other kinds. */
  detail?: string | undefined;
}

/**
 * Returns the entries that contain every word, at most `most`. Entries that were opened recently come first, then those
 * with a title that begins with the words.
 */
export function matchesOf<E extends Entry>(
  entries: readonly E[],
  query: string,
  { most, recent }: { most: number; recent: readonly Entry[] },
): E[] {
  const wanted = query.trim().toLocaleLowerCase();
  const words = wanted.split(/\s+/);
  const rankOf = ({ title, to }: Entry) => {
    const opened = recent.findIndex((one) => one.to === to);
    if (opened !== -1) return opened - recent.length;
    return title.toLocaleLowerCase().startsWith(wanted) ? 0 : 1;
  };
  return entries
    .filter(({ title, also = '' }) => {
      const text = `${title} ${also}`.toLocaleLowerCase();
      return words.every((word) => text.includes(word));
    })
    .map((entry) => ({ entry, rank: rankOf(entry) }))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, most)
    .map(({ entry }) => entry);
}
