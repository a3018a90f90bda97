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

/** Precedence by section 11 of semver.org: negative, 0 or positive. */
export function compareSemanticVersions(left: SemanticVersion, right: SemanticVersion): number {
  const core = compareIdentifiers(left.core, right.core);
  if (core !== 0) return core;
  if (left.prerelease.length === 0) return right.prerelease.length === 0 ? 0 : 1;
  if (right.prerelease.length === 0) return -1;
  return compareIdentifiers(left.prerelease, right.prerelease);
}

function compareIdentifiers(left: readonly string[], right: readonly string[]): number {
  for (const [index, identifier] of left.entries()) {
    const other = right[index];
    if (other === undefined) return 1;
    const order = compareIdentifier(identifier, other);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

function compareIdentifier(left: string, right: string): number {
  const leftNumeric = isDigits(left);
  if (leftNumeric !== isDigits(right)) return leftNumeric ? -1 : 1;
  if (leftNumeric && left.length !== right.length) return left.length - right.length;
  return left === right ? 0 : left < right ? -1 : 1;
}

function isDigits(identifier: string): boolean {
  return /^\d+$/.test(identifier);
}
