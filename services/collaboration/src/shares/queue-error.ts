/** Converts to an Error for logging. pg-boss emits some errors as plain objects with the fields of the error. */
export function toError(emitted: unknown): Error {
  if (emitted instanceof Error) return emitted;
  const code = readText(emitted, 'code');
  const error = Object.assign(
    new Error(readText(emitted, 'message') ?? 'unknown error'),
    code === undefined ? {} : { code },
  );
  const stack = readText(emitted, 'stack');
  if (stack !== undefined) error.stack = stack;
  return error;
}

function readText(value: unknown, name: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown = Reflect.get(value, name);
  return typeof found === 'string' ? found : undefined;
}
