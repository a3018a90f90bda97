/** Returns whether a value is a JSON object. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Converts a value to the form in which a server receives it in JSON: a `Date` becomes its ISO text, and `NaN`
 * becomes null. Returns JSON unchanged. Throws for values that JSON cannot represent, such as a bigint or a cyclic
 * structure.
 */
export function toJson(value: unknown): unknown {
  if (value === undefined || isJson(value)) return value;
  const text: string | undefined = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function isJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value);
    case 'object':
      if (value === null) return true;
      if (Array.isArray(value)) return value.every(isJson);
      return isPlain(value) && Object.values(value).every(isJson);
    default:
      return false;
  }
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  const hasConversion = 'toJSON' in value && typeof value.toJSON === 'function';
  return (prototype === Object.prototype || prototype === null) && !hasConversion;
}
