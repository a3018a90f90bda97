const SIGNIFICANT_DIGITS = 15;

/**
 * Rounds a sum, an average or a median to remove the noise in its last digits, which depends on the order of
 * addition. Keeps whole numbers up to 2^53 and rounds others to 15 significant digits.
 */
export function roundedAmount(value: number): number {
  const isExact = Number.isInteger(value) && Math.abs(value) <= 2 ** 53;
  return isExact ? value : Number(value.toPrecision(SIGNIFICANT_DIGITS));
}
