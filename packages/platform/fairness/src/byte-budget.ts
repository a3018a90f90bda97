/** A limit on the bytes held in memory, so that excess load is rejected instead of buffered. */
export interface ByteBudget {
  readonly maxBytes: number;
  /**
   * Reserves the bytes, or returns false if they do not fit. If nothing is reserved, any size fits, so that an item
   * larger than the budget is not rejected forever.
   */
  tryReserve(bytes: number): boolean;
  /** Releases reserved bytes. */
  release(bytes: number): void;
  /** Returns the bytes reserved now. For a part, only the bytes reserved through it. */
  used(): number;
  /** Returns the bytes that are not reserved through this budget or another part. */
  free(): number;
  /** Creates a budget with a separate count. Its reservations also count here, and `maxBytes` limits both. */
  part(): ByteBudget;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let total = 0;

  function part(): ByteBudget {
    let used = 0;
    return {
      maxBytes,
      tryReserve(bytes) {
        if (used > 0 && total + bytes > maxBytes) return false;
        used += bytes;
        total += bytes;
        return true;
      },
      release(bytes) {
        used -= bytes;
        total -= bytes;
      },
      used: () => used,
      free: () => Math.max(0, maxBytes - total),
      part,
    };
  }

  return { ...part(), used: () => total };
}
