export { type BackoffOptions, backoffDelay, pause, type RetryOptions, retry } from './backoff.ts';
export { type Buckets, createBuckets } from './buckets.ts';
export { type ByteBudget, createByteBudget } from './byte-budget.ts';
export { type Cache, type CacheOptions, createCache } from './cache.ts';
export { type CoalesceOptions, coalesce } from './coalesce.ts';
export { DeadlineExceeded, withDeadline } from './deadline.ts';
export { shareOfHeap } from './heap.ts';
export { estimateSize } from './size.ts';
export { briefTurn, createPlaces, createSlots, type Place, turnOfLoop } from './turns.ts';
