import { problemsOf } from '@switchboard/contracts';
import type { z } from 'zod';
import { BadRequest } from '../exchange/errors.ts';

/** The maximum number of problems that a message names. */
const MAX_NAMED = 10;

interface ValidationOptions {
  /** The name of the whole value: `body`, `query`, `path`. */
  where: string;
  /** Whether unknown properties are rejected at every depth and all problems are named. */
  isStrict?: boolean;
}

/**
 * Returns the output of a schema for a value. Throws BadRequest with the first problem, such as `events[3].timestamp:
 * must be a string`, or with all of them if strict.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  { where, isStrict = false }: ValidationOptions,
): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success && !isStrict) return data;
  const most = isStrict ? MAX_NAMED + 1 : 1;
  const problems = problemsOf({ schema, value, error }, { where, isStrict, most });
  if (success && problems.length === 0) return data;
  const named = problems
    .slice(0, MAX_NAMED)
    .map(({ message }) => message)
    .join('; ');
  throw new BadRequest(problems.length > MAX_NAMED ? `${named}; and more` : named || `${where}: not valid`);
}

/**
 * Returns an error if a request's URL is not percent-encoded UTF-8, or if a path parameter contains a NUL. Hono
 * passes on text that it cannot decode, and no database accepts a NUL. `path` is the path of the operation.
 */
export function textFault(url: string, path: string): BadRequest | undefined {
  if (!url.includes('%')) return undefined;
  try {
    requireText(url, path);
    return undefined;
  } catch (error) {
    if (error instanceof BadRequest) return error;
    throw error;
  }
}

function requireText(url: string, path: string): void {
  const { pathname, search } = new URL(url);
  const names = path.split('/');
  for (const [index, segment] of pathname.split('/').entries()) {
    const name = names[index]?.replaceAll(/[{}]/g, '') || 'path';
    if (decode(segment, name).includes('\0')) throw new BadRequest(`${name}: contains a NUL character`);
  }
  for (const pair of search.slice(1).split('&')) {
    const [name = ''] = pair.split('=');
    decode(pair, decode(name, 'query'));
  }
}

function decode(encoded: string, name: string): string {
  try {
    return decodeURIComponent(encoded);
  } catch {
    throw new BadRequest(`${name}: not percent-encoded UTF-8`);
  }
}
