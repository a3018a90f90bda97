import { type Filter, filter as matcher, parse } from 'scim2-parse-filter';
import { ScimProblem } from './errors.ts';

const MAX_LENGTH = 1000;

/** The library takes exponential time to parse line breaks. */
const CONTROL_CHARACTER = /\p{Cc}/u;

/** Throws ScimProblem for a filter, or a path with a filter, that is unsafe to parse. */
export function checkCharacters(
  text: string,
  field: string,
  scimType: 'invalidFilter' | 'invalidPath',
): void {
  if (CONTROL_CHARACTER.test(text)) {
    throw new ScimProblem(400, `${field}: contains a control character. Remove it`, scimType);
  }
}

export interface ParsedFilter {
  /** The values that attributes must equal, by attribute name in lower case: those that narrow a read. */
  equals: ReadonlyMap<string, string>;
  matches(resource: object): boolean;
}

/** Parses a filter (RFC 7644, section 3.4.2.2). Throws ScimProblem. */
export function parseFilter(text: string): ParsedFilter {
  if (text.length > MAX_LENGTH) {
    throw new ScimProblem(400, `filter: longer than ${MAX_LENGTH} characters`, 'invalidFilter');
  }
  checkCharacters(text, 'filter', 'invalidFilter');
  let parsed: Filter;
  try {
    parsed = parse(text);
  } catch {
    throw new ScimProblem(400, 'filter: not a SCIM filter', 'invalidFilter');
  }
  const matchesLowered = matcher(lowered(parsed));
  const conditions = parsed.op === 'and' && 'filters' in parsed ? parsed.filters : [parsed];
  const equals = conditions.flatMap((one) =>
    one.op === 'eq' && 'compValue' in one && typeof one.compValue === 'string'
      ? [[one.attrPath.toLowerCase(), one.compValue] as const]
      : [],
  );
  return { equals: new Map(equals), matches: (resource) => matchesLowered(lowered(resource)) };
}

/** Returns a copy with all texts in lower case, because SCIM compares most attributes so. Names of attributes stay. */
function lowered<T>(value: T): T;
function lowered(value: unknown): unknown {
  if (typeof value === 'string') return value.toLowerCase();
  if (Array.isArray(value)) return value.map(lowered);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, name === 'attrPath' ? one : lowered(one)]),
  );
}
