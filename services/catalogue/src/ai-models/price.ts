/** The largest whole number that a JSON number holds exactly: 2^53 - 1. */
export const MAX_PRICE = BigInt(Number.MAX_SAFE_INTEGER);

/** ceil(base x (100 + markupPercent) / 100), exactly; base and result in micro-dollars per million tokens. */
export function publishedPrice(base: number, markupPercent: number): bigint {
  return (BigInt(base) * BigInt(100 + markupPercent) + 99n) / 100n;
}
