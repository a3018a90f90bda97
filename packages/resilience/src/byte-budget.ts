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
  /** Bytes reserved now. */
  used(): number;
}

export function createByteBudget(maxBytes: number): ByteBudget {
  let used = 0;
  return {
    maxBytes,
    tryReserve(bytes) {
      if (used > 0 && used + bytes > maxBytes) return false;
      used += bytes;
      return true;
    },
    release(bytes) {
      used -= bytes;
    },
    used: () => used,
  };
}
