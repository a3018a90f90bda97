/**
 * Returns whether a response has the shape that a page shows. Keys must match. A string is compared up to its `...`.
 * `{...}`, `[...]` and `...` match anything. Other values are compared by type, and a number may be null.
 */
export function hasShape(shown: string, answer: string): boolean {
  if (shown === '') return true;
  const quoted = shown
    .replaceAll(/([{,]) *\.\.\. *(?=})/g, '$1"...":"..."')
    .replaceAll(/([[,:]) *\.\.\. *(?=[\],}])/g, '$1"..."');
  try {
    return matches(JSON.parse(quoted), JSON.parse(answer));
  } catch {
    return false;
  }
}

function matches(shown: unknown, actual: unknown): boolean {
  if (typeof shown === 'string') {
    if (shown === '...') return true;
    if (typeof actual !== 'string') return false;
    return shown.includes('...') ? actual.startsWith(shown.slice(0, shown.indexOf('...'))) : true;
  }
  if (Array.isArray(shown)) {
    if (!Array.isArray(actual)) return false;
    return shown.every(
      (one, index) => one === '...' || (index < actual.length && matches(one, actual[index])),
    );
  }
  if (isRecord(shown)) {
    if (!isRecord(actual)) return false;
    const { '...': rest, ...keys } = shown;
    const isComplete = rest !== undefined || Object.keys(actual).every((key) => key in keys);
    return (
      isComplete && Object.entries(keys).every(([key, value]) => key in actual && matches(value, actual[key]))
    );
  }
  const isNumberOrNull = (value: unknown) => value === null || typeof value === 'number';
  return typeof shown === typeof actual || (isNumberOrNull(shown) && isNumberOrNull(actual));
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
