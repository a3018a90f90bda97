import { z } from '@hono/zod-openapi';
import { closest, distance } from 'fastest-levenshtein';
import { formOf, schemaAt, shapeOf, unknownProperties, valueAt } from './schema-tree.ts';

type Issue = z.core.$ZodIssue;

/** The maximum length of a property name or value that a message repeats, in characters. */
const MAX_QUOTED = 80;
/** The maximum number of values, names or forms that a message lists. */
const MAX_LISTED = 20;

/** A value and the result of its schema. */
export interface Checked {
  schema: z.ZodType;
  value: unknown;
  /** Undefined if the schema accepts the value. */
  error: z.core.$ZodError | undefined;
}

export interface Problem {
  /** The path of the problem. For an unknown property it includes the name. */
  path: readonly PropertyKey[];
  /** The message, with the path: `events[3].timestamp: must be a string`. */
  message: string;
}

interface ProblemOptions {
  /** The name of the whole value: `body`, `query`, `path`. */
  where: string;
  /** Maximum number of problems to return. */
  most: number;
  /** Whether a property that the schema drops is a problem. */
  isStrict?: boolean;
}

/**
 * Returns the problems of a value. Unknown properties come first, because one of them is often a misspelt required
 * property.
 */
export function problemsOf(checked: Checked, { where, most, isStrict = false }: ProblemOptions): Problem[] {
  const problems: Problem[] = [];
  const add = (path: readonly PropertyKey[], problem: string, name: PropertyKey[] = []) =>
    problems.push({ path: [...path, ...name], message: `${pathText(path) || where}: ${problem}` });
  if (isStrict) {
    for (const unknown of unknownProperties(checked.schema, checked.value)) {
      if (problems.length === most) return problems;
      add(unknown.path, unknownText([unknown.name], unknown.known), [unknown.name]);
    }
  }
  for (const issue of checked.error?.issues ?? []) {
    if (problems.length === most) return problems;
    if (isStrict && issue.code === 'unrecognized_keys') continue;
    const found = ofNearestForm(issue, checked);
    add(found.path, problemOf(found, checked));
  }
  return problems;
}

/** Returns the problem of the most similar form, for a value that matches no form of a union. */
function ofNearestForm(issue: Issue, checked: Checked): Issue {
  if (issue.code !== 'invalid_union') return issue;
  const union = schemaAt(checked.schema, issue.path, checked.value);
  if (!(union instanceof z.ZodUnion)) return issue;
  const form = formOf(union, valueAt(checked.value, issue.path));
  const [inner] = (form && issue.errors[union.options.indexOf(form)]) ?? [];
  if (inner === undefined) return issue;
  return ofNearestForm({ ...inner, path: [...issue.path, ...inner.path] }, checked);
}

function problemOf(issue: Issue, checked: Checked): string {
  const isMissing = issue.code !== 'custom' && valueAt(checked.value, issue.path) === undefined;
  if (issue.code === 'invalid_union')
    return `${isMissing ? 'required, ' : ''}must be ${formsText(issue, checked)}`;
  return isMissing ? 'required' : ownProblem(issue, checked);
}

/** Returns what a union accepts: the values of its discriminator, or its forms. */
function formsText(issue: z.core.$ZodIssueInvalidUnion, { schema, value }: Checked): string {
  if ('options' in issue && issue.options !== undefined) return oneOf(issue.options);
  const union = schemaAt(schema, issue.path, value);
  if (!(union instanceof z.ZodUnion)) return 'of another form';
  return union.options.slice(0, MAX_LISTED).map(formText).join(' or ');
}

function formText(form: z.core.$ZodType): string {
  const names = Object.entries(shapeOf(form)).map(([name, field]) =>
    field.safeParse(undefined).success ? `${name}?` : name,
  );
  if (form instanceof z.ZodLiteral) return oneOf([...form.values]);
  return names.length > 0 ? `{${names.join(', ')}}` : withArticle(form._zod.def.type);
}

/** Formats an unknown property and its most similar known name, or all known names if none is similar. */
function unknownText(names: readonly string[], known: readonly string[]): string {
  const [name = ''] = names;
  const unknown = `unknown property ${names.slice(0, 5).map(quoted).join(', ')}`;
  if (known.length === 0) return unknown;
  const nearest = closest(name.slice(0, MAX_QUOTED), [...known]);
  // Two letters swapped, or a third of the letters wrong.
  const isNear = distance(name.slice(0, MAX_QUOTED), nearest) <= Math.max(2, nearest.length / 3);
  if (isNear) return `${unknown}; did you mean ${quoted(nearest)}?`;
  return `${unknown}; known are ${known.slice(0, MAX_LISTED).join(', ')}`;
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

/** Formats a problem in the style of the interface. Keeps messages that schemas of the contracts define. */
function ownProblem(issue: Issue, { schema, value }: Checked): string {
  switch (issue.code) {
    case 'unrecognized_keys':
      return unknownText(issue.keys, Object.keys(shapeOf(schemaAt(schema, issue.path, value) ?? schema)));
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

/** Returns the message that the schema defines, or undefined if zod generated the message. */
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
    .slice(0, MAX_LISTED)
    .map((value) => JSON.stringify(value))
    .join(', ')}`;
}

const quoted = (name: string) => JSON.stringify(clip(name));

function clip(text: string): string {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text;
}
