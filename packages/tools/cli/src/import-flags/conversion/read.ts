import { problemsOf } from '@switchboard/contracts';
import { z } from 'zod';
import { nameOf, UsageError } from '../../terminal/terminal.ts';

/** A file to import. */
export interface ImportOptions {
  source: string;
  place: string;
  environment?: string | undefined;
  /** The file with the segments, if they are in another one. */
  segments?: { source: string; place: string } | undefined;
}

const MAX_CHARACTERS = 64 * 1024 * 1024;
const MAX_PROBLEMS = 20;

/** Parses a JSON file with a schema. Throws UsageError. */
export function readJsonFile<S extends z.ZodType>(source: string, place: string, schema: S): z.output<S> {
  if (source.length > MAX_CHARACTERS)
    throw new UsageError(`${nameOf(place)}: more than ${MAX_CHARACTERS} characters; import it in parts`);
  return checked(parse(source, place), place, schema);
}

/** Parses a JSON file with an answer of an API, or with an array of its pages. Throws UsageError. */
export function readPages<S extends z.ZodType>(source: string, place: string, schema: S): z.output<S>[] {
  return readJsonFile(
    source,
    place,
    z.preprocess((value) => (Array.isArray(value) ? value : [value]), z.array(schema)),
  );
}

/** Throws UsageError if pages are missing. */
export function requireAll(place: string, found: number, total: number | null | undefined): void {
  if (total != null && total > found)
    throw new UsageError(
      `${nameOf(place)}: has ${found} of ${total} entries; save all pages of the answer, as a JSON array`,
    );
}

function checked<S extends z.ZodType>(value: unknown, place: string, schema: S): z.output<S> {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const problems = problemsOf({ schema, value, error }, { where: 'file', most: MAX_PROBLEMS });
  throw new UsageError(problems.map(({ message }) => `${nameOf(place)}: ${message}`).join('\n'));
}

function parse(source: string, place: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    throw new UsageError(`${nameOf(place)}: not valid JSON`);
  }
}

/** Returns the environment to import: the given one, or the only one. Throws UsageError. */
export function environmentOf(given: string | undefined, names: Iterable<string>): string | undefined {
  const known = [...new Set(names)];
  if (given !== undefined && known.length > 0 && !known.includes(given))
    throw new UsageError(`--environment: there is no ${given}; the file has ${known.join(', ')}`);
  if (given === undefined && known.length > 1)
    throw new UsageError(`give --environment: the file has ${known.join(', ')}`);
  return given ?? known[0];
}
