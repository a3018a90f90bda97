export interface Listeners<T = void> {
  add(listener: (value: T) => void): () => void;
  call(value: T): void;
  readonly size: number;
}

/** Creates a list of the page's listeners. Passes errors of a listener to `onError`. */
export function createListeners<T = void>(onError: (error: unknown) => void): Listeners<T> {
  const listeners = new Set<(value: T) => void>();
  return {
    add(listener) {
      // A new function for each call, so that one function may listen twice.
      const entry = (value: T) => listener(value);
      listeners.add(entry);
      return () => listeners.delete(entry);
    },
    call(value) {
      for (const listener of [...listeners]) {
        try {
          listener(value);
        } catch (error) {
          onError(error);
        }
      }
    },
    get size() {
      return listeners.size;
    },
  };
}
