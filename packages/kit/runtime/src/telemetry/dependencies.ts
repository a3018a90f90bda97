import { DeadlineExceeded, DependencyProblem, withDeadline } from '@switchboard/resilience';

/** The time after which a dependency counts as unavailable. */
export const CHECK_TIMEOUT_MS = 1000;

/** Returns the problem of a dependency; undefined if it answers in time. */
export async function problemOf(check: () => Promise<void>): Promise<string | undefined> {
  try {
    await withDeadline(CHECK_TIMEOUT_MS, check());
    return undefined;
  } catch (error) {
    return error instanceof DeadlineExceeded || error instanceof DependencyProblem
      ? error.message
      : 'unavailable';
  }
}
