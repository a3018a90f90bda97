import { EventLogUnavailable } from '@switchboard/event-log';

/** The directory cannot be looked up now: it has not been loaded yet, or its database does not answer. */
export class DirectoryUnavailable extends EventLogUnavailable {
  override name = 'DirectoryUnavailable';
}

/** Settles as `promise` does, or throws DirectoryUnavailable after so many milliseconds. */
export function within<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new DirectoryUnavailable('the directory’s database does not answer')),
      milliseconds,
    );
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
