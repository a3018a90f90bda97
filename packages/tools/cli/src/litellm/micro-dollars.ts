const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** One US dollar per token is 10^12 micro-dollars per million tokens. */
const SHIFT = 12;
/** The largest price that the catalogue stores exactly. */
const MAX_PRICE = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * Converts US dollars per token to micro-dollars per million tokens, on decimal digits: 1.5e-7 becomes 150,000.
 * Rounds fractions up. Returns undefined for anything that is not a price or is too large.
 */
export function microDollarsPerMillion(dollarsPerToken: number | string): number | undefined {
  // The shortest decimal form of the number is the text in the list.
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(String(dollarsPerToken).trim()) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const power = Number(exponent) - fraction.length + SHIFT;
  if (power > 60) return digits === 0n ? 0 : undefined;
  const price = power >= 0 ? digits * 10n ** BigInt(power) : roundedUp(digits, 10n ** BigInt(-power));
  return price <= MAX_PRICE ? Number(price) : undefined;
}

const roundedUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;
