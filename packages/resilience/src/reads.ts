/** How often a cache was asked, by whether it had the answer. */
export interface Reads {
  hits: number;
  misses: number;
}

export const noReads = (): Reads => ({ hits: 0, misses: 0 });
