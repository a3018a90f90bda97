/** The amounts that one batch removed; zero if nothing is left to remove. */
export interface Removed {
  rows: number;
  /** The number of objects removed from the object store. */
  objects?: number;
}

/** Data that is removed at an age of a number of days. */
export interface ExpiringData {
  /** The `kind` label of the metrics. */
  kind: string;
  /** The maximum age; undefined keeps the data forever. */
  days: number | undefined;
  /** Removes a batch of data from before this time. May be repeated, and run by two processes at once. */
  removeBefore(time: Date): Promise<Removed>;
  /** Returns the time of the oldest data that is kept; undefined if there is none. */
  oldest(): Promise<Date | undefined>;
}
