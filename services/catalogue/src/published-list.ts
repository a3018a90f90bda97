import { Unavailable } from '@switchboard/service-kit';

/** A list kept in memory as it is answered; the last one that could be read goes on being served. */
export interface PublishedList<T> {
  /** Throws Unavailable when the list was never read. */
  current(): T;
  /** Reads the list again; resolves when what was committed before the call is published. */
  reload(): Promise<void>;
}

interface PublishedListOptions<T> {
  /** What a caller is told is missing: `The <name> has not loaded yet`. */
  name: string;
  read(): Promise<T>;
}

export function createPublishedList<T extends {}>({ name, read }: PublishedListOptions<T>): PublishedList<T> {
  let current: T | undefined;
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;

  async function readOnce() {
    waiting = undefined;
    current = await read();
  }

  return {
    current() {
      if (current === undefined) throw new Unavailable(`The ${name} has not loaded yet; try again.`);
      return current;
    },
    reload() {
      // One read at a time, and never one that began before the call: it may be older than the change.
      waiting ??= last = last.then(readOnce, readOnce);
      return waiting;
    },
  };
}
