import { z } from 'zod';

/** A setting as the docs show it. */
export interface Setting {
  name: string;
  meaning: string;
  /** The accepted values, in Markdown. */
  values: string;
  secret: boolean;
  required: boolean;
  /** The default. Undefined if there is none. */
  fallback: string | undefined;
}

/** Reads a setting from its schema. */
export function settingOf(name: string, schema: z.ZodType): Setting {
  const layers = layersOf(schema);
  const metas = layers.map((layer) => layer.meta() ?? {});
  const unset = schema.safeParse(undefined);
  return {
    name,
    meaning: metas.flatMap(({ description }) => description ?? [])[0] ?? '',
    values: layers.flatMap(valuesOf)[0] ?? 'text',
    secret: metas.some(({ secret }) => secret === true),
    required: !unset.success,
    fallback: unset.success ? fallbackOf(unset.data) : undefined,
  };
}

/** Returns a schema and the schemas that it wraps (optional, default, pipe), outermost first. */
function layersOf(schema: z.ZodType): z.ZodType[] {
  const inner: unknown[] = [];
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodOptional) inner.push(schema.unwrap());
  if (schema instanceof z.ZodPipe) inner.push(schema.in, schema.out);
  return [schema, ...inner.flatMap((one) => (one instanceof z.ZodType ? layersOf(one) : []))];
}

function valuesOf(layer: z.ZodType): string[] {
  const values = layer.meta()?.['values'];
  if (typeof values === 'string') return [values];
  if (layer instanceof z.ZodEnum) return [layer.options.map((option) => `\`${option}\``).join(', ')];
  return [];
}

function fallbackOf(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return value instanceof Set ? [...value].join(',') : String(value);
}
