import { parseInstant } from './instant.ts';
import { numeric } from './numeric.ts';
import { compareSemanticVersions, parseSemanticVersion } from './semver.ts';

/** Compares an attribute with the value of a clause: negative, 0, positive, or NaN if they are not comparable. */
export type Comparison = (attribute: unknown) => number;

/**
 * Creates a comparison with a value. Compares numbers and numeric strings as numbers, SemVer 2.0 versions by
 * precedence and ISO 8601 instants by time. No string is of two of these kinds, so the value determines the kind.
 * Returns `undefined` if nothing is comparable with the value.
 */
export function comparisonWith(value: unknown): Comparison | undefined {
  return (
    comparisonAs(numeric, (left, right) => left - right, value) ??
    comparisonAs(semanticVersion, compareSemanticVersions, value) ??
    comparisonAs(instant, (left, right) => left - right, value)
  );
}

const semanticVersion = rememberingLast(parseSemanticVersion);
const instant = rememberingLast(parseInstant);

/** Caches the last result, because many flags compare the same attribute of a person in sequence. */
function rememberingLast<T>(parse: (value: unknown) => T | undefined): (value: unknown) => T | undefined {
  let last: unknown;
  let parsed: T | undefined;
  return (value) => {
    if (value !== last) {
      parsed = parse(value);
      last = value;
    }
    return parsed;
  };
}

function comparisonAs<T>(
  parse: (value: unknown) => T | undefined,
  compare: (left: T, right: T) => number,
  value: unknown,
): Comparison | undefined {
  const right = parse(value);
  if (right === undefined) return undefined;
  return (attribute) => {
    const left = parse(attribute);
    return left === undefined ? Number.NaN : compare(left, right);
  };
}
