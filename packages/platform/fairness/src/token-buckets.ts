/** A key may send the amount of this period at once. */
const BURST_SECONDS = 2;
const MAX_KEYS = 100_000;
const MIN_SWEEP_KEYS = 1_000;

interface Bucket {
  /** When the bucket is full again. */
  fullAt: number;
  /** The seconds that were taken on this instance and are not yet shared. */
  unshared: number;
}

/** Token buckets by key. They hold seconds: taking the bytes of one second removes one second from a bucket. */
export interface Buckets {
  /** Returns the seconds until the key has bytes left. */
  wait(key: string): number;
  take(key: string, bytes: number): void;
  /** Returns the seconds taken since the last call, by key. Omits keys with less than `minSeconds`. */
  unshared(minSeconds: number): Map<string, number>;
  /** Applies the total taken by all instances, as the seconds until the bucket is full again. */
  merge(key: string, untilFull: number): void;
  size(): number;
}

/** Creates token buckets. Full buckets are dropped periodically. Beyond MAX_KEYS, the older half is dropped. */
export function createBuckets(
  perSecond: number,
  now: () => number = () => performance.now() / 1000,
): Buckets {
  const buckets = new Map<string, Bucket>();
  let sweepAt = MIN_SWEEP_KEYS;

  function sweep(moment: number): void {
    const most = buckets.size > MAX_KEYS ? MAX_KEYS / 2 : MAX_KEYS;
    for (const [key, { fullAt }] of buckets) if (fullAt <= moment || buckets.size > most) buckets.delete(key);
    sweepAt = Math.max(MIN_SWEEP_KEYS, 2 * buckets.size);
  }

  return {
    wait: (key) => Math.max(0, (buckets.get(key)?.fullAt ?? 0) - now() - BURST_SECONDS),

    take(key, bytes) {
      const moment = now();
      const seconds = bytes / perSecond;
      const bucket = buckets.get(key);
      if (bucket !== undefined) {
        bucket.fullAt = Math.max(moment, bucket.fullAt) + seconds;
        bucket.unshared += seconds;
        return;
      }
      buckets.set(key, { fullAt: moment + seconds, unshared: seconds });
      if (buckets.size > sweepAt) sweep(moment);
    },

    unshared(minSeconds) {
      const taken = new Map<string, number>();
      for (const [key, bucket] of buckets) {
        if (bucket.unshared < minSeconds) continue;
        taken.set(key, bucket.unshared);
        bucket.unshared = 0;
      }
      return taken;
    },

    merge(key, untilFull) {
      const bucket = buckets.get(key);
      if (bucket !== undefined) bucket.fullAt = Math.max(bucket.fullAt, now() + untilFull + bucket.unshared);
    },

    size: () => buckets.size,
  };
}
