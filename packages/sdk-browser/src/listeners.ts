export interface Listeners {
  add(listener: () => void): () => void;
  call(): void;
  readonly size: number;
}

/** Listeners of the page; an error in one is passed to `onError`. */
export function createListeners(onError: (error: unknown) => void): Listeners {
  const listeners = new Set<() => void>();
  return {
    add(listener) {
      // Of its own, so that one function may listen twice.
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
