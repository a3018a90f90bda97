import type { Result } from '../results/results.ts';

interface Shared {
  clients: number;
  controller: AbortController;
}

/** Lets a computation end early once every client that waits for its result has left. */
export interface Waiting {
  /** `create` gets the signal that ends the computation. Results with the same ETag share it. */
  share<T>(left: AbortSignal, create: (allLeft: AbortSignal) => Result<T>): Result<T>;
}

export function createWaiting(): Waiting {
  const running = new Map<string, Shared>();

  return {
    share(left, create) {
      const controller = new AbortController();
      const result = create(controller.signal);
      const { etag } = result;
      return {
        ...result,
        async prepare() {
          const shared = running.get(etag) ?? { clients: 0, controller };
          running.set(etag, shared);
          shared.clients++;
          const leave = () => {
            shared.clients--;
            if (shared.clients > 0) return;
            running.delete(etag);
            shared.controller.abort();
          };
          left.addEventListener('abort', leave, { once: true });
          if (left.aborted) leave();
          try {
            return await result.prepare();
          } finally {
            left.removeEventListener('abort', leave);
            if (running.get(etag) === shared) running.delete(etag);
          }
        },
      };
    },
  };
}
