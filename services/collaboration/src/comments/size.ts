/** What a thread holds at most: far more than people write, and little enough to answer whole. */
export const CAPACITY = { comments: 1_000, bytes: 1_000_000 } as const;
