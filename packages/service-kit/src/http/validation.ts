import type { z } from 'zod';
import { BadRequest } from './errors.ts';

type Issue = z.core.$ZodIssue;

/** Longest property name or value that a message repeats, in characters. */
const MAX_QUOTED = 80;

/**
 * The first problem of a request, as `events[3].timestamp: must be a string`. `where` names the root (`body`, `query`,
 * `path`); `input` is what was validated, in which a missing value is recognized.
 */
export function invalid(error: z.core.$ZodError, where: string, input: unknown): BadRequest {
  const [first] = error.issues;
  if (first === undefined) return new BadRequest(`${where}: not valid`);
  const issue = deepest(first);
  const isMissing = issue.code !== 'custom' && valueAt(input, issue.path) === undefined;
  const problem = isMissing ? 'required' : problemOf(issue);
  return new BadRequest(`${pathText(issue.path) || where}: ${problem}`);
}

/** Of a value that matches no form of a union, the problem of the form that it matches furthest. */
function deepest(issue: Issue): Issue {
  if (issue.code !== 'invalid_union') return issue;
  let found: Issue = issue;
  for (const [inner] of issue.errors) {
    if (inner === undefined || inner.path.length === 0) continue;
    const candidate = deepest({ ...inner, path: [...issue.path, ...inner.path] });
    if (candidate.path.length > found.path.length) found = candidate;
  }
  return found;
}

function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const part of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Reflect.get(value, part);
  }
  return value;
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = clip(String(part));
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}

/** Messages that schemas of the contracts give are kept; those of zod itself are put into the interface's style. */
function problemOf(issue: Issue): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return `unknown property ${issue.keys.slice(0, 5).map(quoted).join(', ')}`;
    case 'invalid_type':
      return own(issue) ?? `must be ${withArticle(issue.expected)}`;
    case 'too_small':
      return own(issue) ?? bound(issue.origin, Number(issue.minimum), issue.inclusive !== false, 'min');
    case 'too_big':
      return own(issue) ?? bound(issue.origin, Number(issue.maximum), issue.inclusive !== false, 'max');
    case 'invalid_value':
      return own(issue) ?? `must be ${oneOf(issue.values)}`;
    case 'invalid_format':
      return own(issue) ?? `not a valid ${FORMATS[issue.format] ?? issue.format}`;
    case 'not_multiple_of':
      return own(issue) ?? `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return own(issue) ?? 'matches none of the accepted forms';
    default:
      return own(issue) ?? 'not valid';
  }
}

const FORMATS: Readonly<Record<string, string>> = Object.freeze({
  datetime: 'RFC 3339 date-time',
  date: 'date',
  email: 'email address',
  regex: 'value',
  url: 'URL',
  uuid: 'UUID',
});

const DEFAULT_MESSAGE = /^(Invalid|Too (small|big)|Unrecognized)\b/;

/** The message that the schema gives; undefined for one that zod makes. */
function own({ message }: Issue): string | undefined {
  if (DEFAULT_MESSAGE.test(message)) return undefined;
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function bound(origin: string, limit: number, isInclusive: boolean, end: 'min' | 'max'): string {
  const unit = UNITS[origin];
  if (unit === undefined) {
    if (isInclusive) return `must be at ${end === 'min' ? 'least' : 'most'} ${limit}`;
    return `must be ${end === 'min' ? 'greater' : 'less'} than ${limit}`;
  }
  if (end === 'min' && limit === 1) return 'must not be empty';
  return `must have at ${end === 'min' ? 'least' : 'most'} ${limit} ${limit === 1 ? unit : `${unit}s`}`;
}

const UNITS: Readonly<Record<string, string>> = Object.freeze({
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'entry',
  object: 'property',
  record: 'property',
});

function withArticle(type: string): string {
  if (type === 'int') return 'an integer';
  if (type === 'record') return 'an object';
  if (type === 'null') return 'null';
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function oneOf(values: readonly unknown[]): string {
  const [first] = values;
  if (values.length === 1) return JSON.stringify(first);
  return `one of ${values
    .slice(0, 20)
    .map((value) => JSON.stringify(value))
    .join(', ')}`;
}

const quoted = (name: string) => JSON.stringify(clip(name));

function clip(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;
}
