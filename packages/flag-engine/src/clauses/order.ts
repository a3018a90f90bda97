import { parseInstant } from './instant.ts';
import { numeric } from './numeric.ts';
import { compareSemanticVersions, parseSemanticVersion } from './semver.ts';

/** Answers how an attribute compares with a clause's value: negative, 0, positive, or NaN for not at all. */
export type Comparison = (attribute: unknown) => number;

/**
 * Numbers and numeric texts compare as numbers, else two SemVer 2.0 versions, else two ISO 8601 instants.
 * No text is of two of these kinds, so the value alone settles what the attribute must be.
 * `undefined`: nothing compares with this value.
 */
export function comparisonWith(value: unknown): Comparison | undefined {
  return (
    comparisonAs(numeric, (left, right) => left - right, value) ??
    comparisonAs(parseSemanticVersion, compareSemanticVersions, value) ??
    comparisonAs(parseInstant, (left, right) => left - right, value)
  );
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
