const PAGE_SIZE = 200;

/** How many rows to read for one page: one more than it holds, to know whether another follows. */
export const PAGE_LIMIT = PAGE_SIZE + 1;

export interface Page<R> {
  rows: R[];
  /** Where the next page begins; null after the last. */
  nextCursor: string | null;
}

/** Makes a page of at most `PAGE_LIMIT` rows. */
export function toPage<R>(rows: R[], cursorOf: (row: R) => string): Page<R> {
  const page = rows.slice(0, PAGE_SIZE);
  const last = page.at(-1);
  return { rows: page, nextCursor: rows.length > PAGE_SIZE && last !== undefined ? cursorOf(last) : null };
}
