import { z } from '@hono/zod-openapi';
import { isObject } from '../fields/fields.ts';

type Schema = z.core.$ZodType;

/** A property that a schema does not know. */
export interface UnknownProperty {
  /** The path of the object that has it. */
  path: PropertyKey[];
  name: string;
  /** The names that the object may have. */
  known: string[];
}

/**
 * Yields the properties of a value, at any depth, that its schema does not know, whether the schema rejects or drops
 * them.
 */
export function* unknownProperties(
  schema: Schema,
  value: unknown,
  path: PropertyKey[] = [],
): Generator<UnknownProperty> {
  if (typeof value !== 'object' || value === null) return;
  const decisive = formFor(schema, value);
  for (const [key, part] of Object.entries(value)) {
    const name = Array.isArray(value) ? Number(key) : key;
    const ofPart = partOf(decisive, name);
    if (decisive instanceof z.ZodObject && (ofPart === undefined || ofPart instanceof z.ZodNever)) {
      yield { path, name: key, known: Object.keys(decisive.shape) };
    } else if (ofPart !== undefined) {
      yield* unknownProperties(ofPart, part, [...path, name]);
    }
  }
}

/** Returns the schema at a path of a value, or undefined if the schema does not define it. */
export function schemaAt(schema: Schema, path: readonly PropertyKey[], value: unknown): Schema | undefined {
  let found: Schema | undefined = schema;
  for (const [depth, name] of path.entries()) {
    found = partOf(found && formFor(found, valueAt(value, path.slice(0, depth))), name);
  }
  return found && unwrapped(found);
}

export function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = Reflect.get(found, name);
  }
  return found;
}

/**
 * Returns the form of a union that a value has: the one that its discriminator selects, or the first with most of its
 * properties. Undefined if it has none.
 */
export function formOf(union: z.ZodUnion, value: unknown): Schema | undefined {
  if (!isObject(value)) return undefined;
  if (union instanceof z.ZodDiscriminatedUnion) {
    const { discriminator } = union.def;
    return union.options.find(
      (option) => shapeOf(option)[discriminator]?.safeParse(value[discriminator]).success,
    );
  }
  const shared = union.options.map(
    (option) => Object.keys(shapeOf(option)).filter((name) => Object.hasOwn(value, name)).length,
  );
  const most = Math.max(...shared);
  return most === 0 ? undefined : union.options[shared.indexOf(most)];
}

/** Returns the properties of an object schema. Returns none for any other schema. */
export function shapeOf(schema: Schema): Readonly<Record<string, z.ZodType>> {
  return schema instanceof z.ZodObject ? schema.shape : {};
}

function formFor(schema: Schema, value: unknown): Schema | undefined {
  const bare = unwrapped(schema);
  if (!(bare instanceof z.ZodUnion)) return bare;
  const form = formOf(bare, value);
  return form && formFor(form, value);
}

/** Returns the schema without wrappers that make its value optional or transform it. */
function unwrapped(schema: Schema): Schema {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly
  ) {
    return unwrapped(schema.unwrap());
  }
  return schema instanceof z.ZodPipe ? unwrapped(schema.in) : schema;
}

function partOf(schema: Schema | undefined, name: PropertyKey): Schema | undefined {
  if (schema instanceof z.ZodObject) {
    const shape = shapeOf(schema);
    return Object.hasOwn(shape, name) ? shape[String(name)] : schema.def.catchall;
  }
  if (schema instanceof z.ZodArray) return schema.element;
  return schema instanceof z.ZodRecord ? schema.valueType : undefined;
}
