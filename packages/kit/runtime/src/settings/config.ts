import type { z } from 'zod';

/** The settings are not valid. The message names every affected variable. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * Reads settings from environment variables. An empty variable counts as unset. Throws ConfigError with one message
 * that names every missing or invalid variable, without its value, which may be a secret.
 */
export function parseConfig<S extends z.ZodType>(
  schema: S,
  env: Record<string, string | undefined>,
): z.output<S> {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => {
    const name = String(issue.path[0] ?? 'environment');
    const missing = set[name] === undefined;
    return `  ${name}: ${missing && issue.code === 'invalid_type' ? 'required' : lower(issue.message)}`;
  });
  throw new ConfigError(`Missing or invalid environment variables:\n${problems.join('\n')}`);
}

function lower(message: string): string {
  const text = message.replace(/^Invalid input: /, '');
  return text.charAt(0).toLowerCase() + text.slice(1);
}
