/** Bounds the bytes held in memory, so that excess load is rejected instead of buffered. */
export interface ByteBudget {
  readonly maxBytes: number;
  /**
   * Reserves the bytes, or returns false when they do not fit. With nothing reserved any size fits, so that one
   * item larger than the budget is not rejected forever.
   */
  tryReserve(bytes: number): boolean;
  /** Returns bytes that were reserved. */
  release(bytes: number): void;
  /** Bytes reserved now; of a part, its own. */
  used(): number;
  /** Bytes that neither it nor another part has reserved. */
  free(): number;
  /** A budget with a count of its own; what it reserves counts in this one too, and both are bound by `maxBytes`. */
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
