export { type BackoffOptions, backoffDelay, pause, type RetryOptions, retry } from './backoff.ts';
export { type Cache, type CacheOptions, createCache } from './cache.ts';
export { type CoalesceOptions, coalesce } from './coalesce.ts';
export { DeadlineExceeded, DependencyProblem, withDeadline, withSignal } from './deadline.ts';
export { type EndOfCall, type Measure, measured } from './measure.ts';
export { createPolling, doAll, lookInterval, type Polling, poll } from './poll.ts';
export { noReads, type Reads } from './reads.ts';
