import {
  type Credential,
  consoleOperations,
  type Operation,
  openApiDocument,
  operations,
} from '@switchboard/contracts';
import { z } from 'zod';

/** The generated types of the API in @switchboard/management. */
export const OPERATIONS_FILE = new URL('../src/operations.ts', import.meta.url);

/** A request may omit properties that have a default. A response always has them. */
type Mode = 'input' | 'output';

interface Schema {
  $ref?: string | undefined;
  type?: string | string[] | undefined;
  format?: string | undefined;
  enum?: unknown[] | undefined;
  description?: string | undefined;
  default?: unknown;
  properties?: Record<string, Schema> | undefined;
  required?: string[] | undefined;
  additionalProperties?: boolean | Schema | undefined;
  items?: Schema | undefined;
  oneOf?: Schema[] | undefined;
  anyOf?: Schema[] | undefined;
  allOf?: Schema[] | undefined;
}

const schema: z.ZodType<Schema> = z.lazy(() =>
  z.object({
    $ref: z.string().optional(),
    type: z.union([z.string(), z.array(z.string())]).optional(),
    format: z.string().optional(),
    enum: z.array(z.unknown()).optional(),
    description: z.string().optional(),
    default: z.unknown().optional(),
    properties: z.record(z.string(), schema).optional(),
    required: z.array(z.string()).optional(),
    additionalProperties: z.union([z.boolean(), schema]).optional(),
    items: schema.optional(),
    oneOf: z.array(schema).optional(),
    anyOf: z.array(schema).optional(),
    allOf: z.array(schema).optional(),
  }),
);
const content = z.record(z.string(), z.object({ schema: schema.optional() })).optional();
const described = z.object({
  operationId: z.string(),
  summary: z.string(),
  description: z.string().optional(),
  'x-permission': z.string().optional(),
  parameters: z
    .array(
      z.object({
        in: z.enum(['path', 'query', 'header']),
        name: z.string(),
        required: z.boolean().optional(),
        description: z.string().optional(),
        schema: schema.optional(),
      }),
    )
    .default([]),
  requestBody: z.object({ content }).optional(),
  responses: z.record(z.string(), z.object({ content })),
});
type Described = z.infer<typeof described>;
const document = z.object({
  components: z.object({ schemas: z.record(z.string(), schema) }),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
});

/** Headers that change the effect of an operation. The client handles all others. */
const HEADERS = ['If-Match', 'If-None-Match', 'Idempotency-Key'];
/** Credentials that are access tokens. */
const TOKEN_CREDENTIALS: readonly Credential[] = ['access-token', 'console', 'management'];
const REF = '#/components/schemas/';

/** Returns the types and routes of every operation that takes an access token, as a source file. */
export function operationsSource(): string {
  const { components, paths } = document.parse(openApiDocument({ management: true }));
  const { schemas } = components;
  const wanted = new Map<string, [name: string, mode: Mode]>();
  const hasDefaults = defaultsIn(schemas);
  const nameOf = (name: string, mode: Mode): string => {
    const written = mode === 'input' && hasDefaults(name) ? `${name}Input` : name;
    wanted.set(written, [name, mode]);
    return written;
  };
  const withToken = operations
    .filter((one) => TOKEN_CREDENTIALS.includes(one.credential) && !consoleOperations.includes(one))
    .sort((one, other) => (one.operationId < other.operationId ? -1 : 1));
  const entries = withToken.map((operation) => {
    const found = described.parse(paths[operation.path]?.[operation.method]);
    return { operation, found, type: operationType(found, nameOf) };
  });
  const types = new Map<string, string>();
  for (let left = [...wanted]; left.length > 0; left = [...wanted].filter(([name]) => !types.has(name))) {
    for (const [written, [name, mode]] of left) {
      const of = schemas[name] ?? {};
      types.set(written, `${comment(of.description)}export type ${written} = ${typeOf(of, mode, nameOf)};`);
    }
  }
  return [
    '// Generated from the contracts by `npx pnpm@12 run docs`; a test fails when it is stale.',
    ...[...types].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, text]) => text),
    '/** The input and result of each operation. */',
    'export interface Operations {',
    ...entries.map(({ found, type }) => `${comment(aboutOf(found))}${found.operationId}: ${type};`),
    '}',
    'export const ROUTES = {',
    ...entries.map(({ operation, found }) => `${found.operationId}: ${routeOf(operation, found)},`),
    '} as const;',
    '',
  ].join('\n');
}

function operationType(
  { parameters, requestBody, responses }: Described,
  nameOf: (name: string, mode: Mode) => string,
): string {
  const fields: string[] = [];
  const places = { params: 'path', query: 'query', headers: 'header' } as const;
  // An operation with the answer 304 reads.
  const headers = '304' in responses ? HEADERS.filter((name) => name !== 'If-None-Match') : HEADERS;
  for (const [field, place] of Object.entries(places)) {
    const given = parameters.filter(
      (one) => one.in === place && (place !== 'header' || headers.includes(one.name)),
    );
    if (given.length === 0) continue;
    const properties = Object.fromEntries(given.map((one) => [one.name, one.schema ?? {}]));
    const required = given.filter((one) => one.required).map(({ name }) => name);
    const mark = required.length > 0 ? '' : '?';
    fields.push(`${field}${mark}: ${typeOf({ type: 'object', properties, required }, 'input', nameOf)};`);
  }
  const [body] = Object.values(requestBody?.content ?? {});
  if (body?.schema !== undefined) fields.push(`body: ${typeOf(body.schema, 'input', nameOf)};`);
  const success = Object.entries(responses).filter(([status]) => status < '300');
  const answers = success.map(([, { content: of }]) => Object.values(of ?? {})[0]?.schema);
  fields.push(
    `response: ${answers.map((one) => (one === undefined ? 'undefined' : typeOf(one, 'output', nameOf))).join(' | ')};`,
  );
  return `{ ${fields.join('\n')} }`;
}

function typeOf(of: Schema, mode: Mode, nameOf: (name: string, mode: Mode) => string): string {
  const inner = (one: Schema) => typeOf(one, mode, nameOf);
  if (of.$ref !== undefined) return nameOf(of.$ref.slice(REF.length), mode);
  if (of.enum !== undefined) return of.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = of.oneOf ?? of.anyOf;
  if (choices !== undefined) return choices.map(inner).join(' | ');
  if (of.allOf !== undefined) {
    // The description of a named type, or null as its alternative, is a separate part.
    const isPart = (one: Schema) => one.$ref !== undefined || one.properties !== undefined;
    const all = of.allOf
      .filter(isPart)
      .map((one) => `(${inner(one)})`)
      .join(' & ');
    return of.allOf.some((one) => !isPart(one) && one.type?.includes('null')) ? `${all} | null` : all;
  }
  if (Array.isArray(of.type)) return of.type.map((type) => inner({ ...of, type })).join(' | ');
  switch (of.type) {
    case 'null':
    case 'boolean':
    case 'number':
      return of.type;
    case 'integer':
      return 'number';
    case 'string':
      return of.format === 'binary' ? 'Uint8Array<ArrayBuffer> | Blob' : 'string';
    case 'array':
      return `Array<${inner(of.items ?? {})}>`;
    case 'object':
      return objectType(of, mode, inner);
    default:
      return 'unknown';
  }
}

function objectType(
  { properties = {}, required = [], additionalProperties }: Schema,
  mode: Mode,
  inner: (one: Schema) => string,
) {
  const others = typeof additionalProperties === 'object' ? inner(additionalProperties) : 'unknown';
  if (Object.keys(properties).length === 0) return `Record<string, ${others}>`;
  const fields = Object.entries(properties).map(([name, of]) => {
    const isSet = required.includes(name) || (mode === 'output' && of.default !== undefined);
    return `${comment(of.description)}${JSON.stringify(name)}${isSet ? '' : '?'}: ${inner(of)}${isSet ? '' : ' | undefined'};`;
  });
  if (additionalProperties === true || typeof additionalProperties === 'object')
    fields.push('[name: string]: unknown;');
  return `{\n${fields.join('\n')}\n}`;
}

/** Returns a function that tells whether a named schema, or a schema that it refers to, has defaults. */
function defaultsIn(schemas: Record<string, Schema>): (name: string) => boolean {
  const known = new Map<string, boolean>();
  return function has(name) {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, false);
    let found = false;
    JSON.stringify(schemas[name], (key, value: unknown) => {
      if (key === 'default' || (key === '$ref' && has(String(value).slice(REF.length)))) found = true;
      return value;
    });
    known.set(name, found);
    return found;
  };
}

const aboutOf = ({ summary, description, 'x-permission': permission }: Described) =>
  [`${summary}.`, description, permission && `Needs \`${permission}\`.`].filter(Boolean).join(' ');

const comment = (text: string | undefined) =>
  text === undefined ? '' : `/** ${text.replaceAll(/\s+/g, ' ').replaceAll('*/', '* /')} */\n`;

function routeOf(
  { service, method, path }: Operation,
  { parameters, requestBody, responses }: Described,
): string {
  const isIdempotent = parameters.some(({ name }) => name === 'Idempotency-Key');
  const isBinary = requestBody !== undefined && requestBody.content?.['application/json'] === undefined;
  const answer = responses['200']?.content?.['application/json']?.schema?.properties ?? {};
  const lists = Object.keys(answer).filter((name) => answer[name]?.type === 'array');
  const isList = Object.keys(answer).every((name) =>
    ['nextCursor', 'asOf', 'toDecide', 'toRead', ...lists].includes(name),
  );
  const [items] = method === 'get' && isList ? lists : [];
  return JSON.stringify({
    service,
    method,
    path,
    ...(items !== undefined && { items }),
    ...(isIdempotent && { isIdempotent }),
    ...(isBinary && { isBinary }),
  });
}
