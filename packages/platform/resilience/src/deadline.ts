/** A dependency is impaired. The message is shown to operators, and contains no addresses. */
export class DependencyProblem extends Error {
  override name = 'DependencyProblem';
}

/** Work did not settle in time. `isUnavailable` of @switchboard/database recognizes the code. */
export class DeadlineExceeded extends Error {
  override name = 'DeadlineExceeded';
  readonly code = 'ETIMEDOUT';
}

/**
 * Settles like `work`, or rejects after `ms` milliseconds with DeadlineExceeded or the error that `timeoutError`
 * creates. The work itself is not cancelled. A later result or error is ignored.
 */
export function withDeadline<T>(
  ms: number,
  work: PromiseLike<T>,
  timeoutError: () => Error = () => new DeadlineExceeded(`no answer within ${Math.ceil(ms)} ms`),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(timeoutError()), Math.max(0, ms));
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
}

/**
 * Settles like `work`, or rejects with the signal's reason once it aborts. The work itself is not cancelled. A later
 * result or error is ignored.
 */
export function withSignal<T>(signal: AbortSignal, work: PromiseLike<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(signal.reason);
    if (signal.aborted) giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    work.then(
      (value) => {
        signal.removeEventListener('abort', giveUp);
        resolve(value);
      },
      (error: unknown) => {
        signal.removeEventListener('abort', giveUp);
        reject(error);
      },
    );
  });
}
