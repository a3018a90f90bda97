import { UsageError } from './terminal.ts';

/** Returns the JSON value of an option. Throws UsageError. */
export function readJson(option: string, given: string | undefined) {
  if (given === undefined) return undefined;
  try {
    return JSON.parse(given);
  } catch {
    throw new UsageError(`${option}: not valid JSON`);
  }
}

/** Returns the version of a flag in an option. Throws UsageError. */
export function readVersion(given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  if (!/^\d{1,9}$/.test(given)) throw new UsageError('--if-version: give a version of the flag, such as 3');
  return Number(given);
}
