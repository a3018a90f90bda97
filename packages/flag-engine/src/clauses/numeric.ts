const jsonNumber = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A number, or a text written exactly as JSON writes one: no white space, plus sign, leading zero ("007" is
 * a name), hexadecimal, and nothing that overflows. Anything else is `undefined`.
 */
export function numeric(value: unknown): number | undefined {
  if (typeof value === 'string') return jsonNumber.test(value) ? finite(Number(value)) : undefined;
  return typeof value === 'number' ? finite(value) : undefined;
}

function finite(value: number): number | undefined {
  return Number.isFinite(value) ? value : undefined;
}
