import { Unavailable } from '@switchboard/http';
import { coalesce } from '@switchboard/resilience';

/** A list kept in memory in its serialised form. The last list read stays available. */
export interface PublishedList<T> {
  /** Throws Unavailable until the list has been read once. */
  current(): T;
  /** Reads the list again. Resolves when the list includes everything committed before the call. */
  reload(): Promise<void>;
}

interface PublishedListOptions<T> {
  /** The name in the error `The <name> has not loaded yet`. */
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
