/** The maximum size of a thread: far more than people write, but small enough to return in one response. */
export const CAPACITY = { comments: 1_000, bytes: 1_000_000 } as const;
