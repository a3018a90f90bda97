/** The number of reads of a cache, by whether it had the value. */
export interface Reads {
  hits: number;
  misses: number;
}

export const noReads = (): Reads => ({ hits: 0, misses: 0 });
