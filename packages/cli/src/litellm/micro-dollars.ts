const DECIMAL = /^(\d+)(?:\.(\d+))?(?:e([+-]?\d{1,3}))?$/i;

/** US dollars a token are this power of ten of micro-dollars a million tokens. */
const SHIFT = 12;
/** The most the catalogue holds exactly. */
const LARGEST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * A price in US dollars a token as micro-dollars per million tokens, computed on its decimal digits: 1.5e-7 is
 * 150,000. What is left of a micro-dollar is rounded up. Undefined when it is no price that can be kept.
 */
export function microDollarsPerMillion(dollarsPerToken: number | string): number | undefined {
  // The shortest text that reads back as this number is what the list says.
  const [, whole, fraction = '', exponent = '0'] = DECIMAL.exec(String(dollarsPerToken).trim()) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(whole + fraction);
  const power = Number(exponent) - fraction.length + SHIFT;
  if (power > 60) return digits === 0n ? 0 : undefined;
  const price = power >= 0 ? digits * 10n ** BigInt(power) : roundedUp(digits, 10n ** BigInt(-power));
  return price <= LARGEST ? Number(price) : undefined;
}

const roundedUp = (dividend: bigint, divisor: bigint) => (dividend + divisor - 1n) / divisor;
