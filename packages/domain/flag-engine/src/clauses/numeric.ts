const JSON_NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Returns a number, or the number in a string that is valid JSON for one: no white space, plus sign, leading zero
 * ("007" is a name) or hexadecimal, and no overflow. Returns `undefined` for anything else.
 */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'string') return JSON_NUMBER.test(value) ? finite(Number(value)) : undefined;
  return typeof value === 'number' ? finite(value) : undefined;
}

/**
 * Like `numeric`, but returns undefined for a string with an integer beyond 2^53 - 1, because as a number it would
 * equal its neighbours.
 */
export function exactNumeric(value: unknown): number | undefined {
  const number = numeric(value);
  const isRounded = typeof value === 'string' && Number.isInteger(number) && !Number.isSafeInteger(number);
  return isRounded ? undefined : number;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
