export { createBoundedQueue } from './bounded-queue.ts';
export { type ByteBudget, createByteBudget } from './byte-budget.ts';
export { createFairQueue, createPermits, type Permit } from './permits.ts';
export { createReservations, type Reservation, type Shortage } from './reservations.ts';
export { type Buckets, createBuckets } from './token-buckets.ts';
export { yieldBriefly, yieldToLoop } from './yield.ts';
