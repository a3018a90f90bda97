/** A version of Semantic Versioning 2.0.0. Identifiers stay strings because their length is unbounded. */
export interface SemanticVersion {
  readonly core: readonly string[];
  readonly prerelease: readonly string[];
}

// The expression of the FAQ on semver.org without the capture of build metadata, which has no precedence.
const SEMANTIC_VERSION =
  /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+[0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*)?$/;

export function parseSemanticVersion(value: unknown): SemanticVersion | undefined {
  if (typeof value !== 'string') return undefined;
  const match = SEMANTIC_VERSION.exec(value);
  if (match === null) return undefined;
  return { core: match.slice(1, 4), prerelease: match[4] === undefined ? [] : match[4].split('.') };
}

/** Compares by the precedence of section 11 of semver.org. Returns a negative number, 0 or a positive number. */
export function compareSemanticVersions(left: SemanticVersion, right: SemanticVersion): number {
  const core = compareInOrder(left.core, right.core, compareNumbers);
  if (core !== 0) return core;
  if (left.prerelease.length === 0) return right.prerelease.length === 0 ? 0 : 1;
  if (right.prerelease.length === 0) return -1;
  return compareInOrder(left.prerelease, right.prerelease, compareIdentifiers);
}

function compareInOrder(
  left: readonly string[],
  right: readonly string[],
  compare: (left: string, right: string) => number,
): number {
  for (let index = 0; index < left.length && index < right.length; index++) {
    const order = compare(left[index] ?? '', right[index] ?? '');
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareIdentifiers(left: string, right: string): number {
  const leftNumeric = isDigits(left);
  if (leftNumeric !== isDigits(right)) return leftNumeric ? -1 : 1;
  return leftNumeric ? compareNumbers(left, right) : compareTexts(left, right);
}

/** Compares strings of digits without leading zeros. */
function compareNumbers(left: string, right: string): number {
  return left.length - right.length || compareTexts(left, right);
}

function compareTexts(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1;
}

function isDigits(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}
