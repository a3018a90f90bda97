import { coalesce } from '@switchboard/resilience';
import { Unavailable } from '@switchboard/service-kit';

/** A list kept in memory in the form it is served in; the last one read stays available. */
export interface PublishedList<T> {
  /** Throws Unavailable until the list was read once. */
  current(): T;
  /** Reads the list again; resolves when everything committed before the call is in it. */
  reload(): Promise<void>;
}

interface PublishedListOptions<T> {
  /** Named in the error: `The <name> has not loaded yet`. */
  name: string;
  read(): Promise<T>;
}

export function createPublishedList<T extends {}>({ name, read }: PublishedListOptions<T>): PublishedList<T> {
  let current: T | undefined;
  const reload = coalesce<void, void>(async (calls) => {
    current = await read();
    return calls;
  });

  return {
    current() {
      if (current === undefined)
        throw new Unavailable(`The ${name} has not loaded yet. Retry after the time in Retry-After.`);
      return current;
    },
    reload: () => reload(),
  };
}
