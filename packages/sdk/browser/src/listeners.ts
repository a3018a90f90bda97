export interface Listeners {
  add(listener: () => void): () => void;
  call(): void;
  readonly size: number;
}

/** Creates a list of the page's listeners. Passes errors of a listener to `onError`. */
export function createListeners(onError: (error: unknown) => void): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      // A new function for each call, so that one function may listen twice.
      const entry = () => listener();
      listeners.add(entry);
      return () => void listeners.delete(entry);
    },
    call() {
      for (const listener of [...listeners]) {
        try {
          listener();
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
