import { problemsOf } from '@switchboard/contracts';
import type { z } from 'zod';
import { BadRequest } from '../errors.ts';

/** Most problems of a request that a message names. */
const MAX_NAMED = 10;

interface ValidationOptions {
  /** The name of the whole value: `body`, `query`, `path`. */
  where: string;
  /** Whether unknown properties are rejected at every depth, and all problems are named at once. */
  isStrict?: boolean;
}

/**
 * What a schema makes of a value. Throws BadRequest with its first problem, as `events[3].timestamp: must be a string`;
 * strictly, with all of them.
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
