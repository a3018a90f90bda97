/** The largest integer that a JSON number represents exactly: 2^53 - 1. */
export const MAX_PRICE = BigInt(Number.MAX_SAFE_INTEGER);

/** Returns ceil(base x (100 + markupPercent) / 100), exactly, in micro-dollars per million tokens like `base`. */
export function publishedPrice(base: number, markupPercent: number): bigint {
  return (BigInt(base) * BigInt(100 + markupPercent) + 99n) / 100n;
}
