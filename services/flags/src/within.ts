/** The database did not answer in time. `isUnavailable` of the database package knows its code. */
export class Timeout extends Error {
  override name = 'Timeout';
  readonly code = 'QUERY_TIMEOUT';
}

/** Settles as `promise` does, or throws Timeout after the given milliseconds. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Timeout(`the database did not answer within ${milliseconds} ms`)),
      milliseconds,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
