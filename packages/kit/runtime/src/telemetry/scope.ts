import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/tracing.ts';

/** The request and span that code runs for. Log lines and published records carry their ids. */
export interface Scope {
  requestId?: string | undefined;
  span?: Span | undefined;
  /** Data about the caller. The project is set once its key was checked. */
  exchange?: { address: string; projectId?: string };
}

const scopes = new AsyncLocalStorage<Scope | undefined>();

export const currentScope = (): Scope | undefined => scopes.getStore();

/** Runs work in a scope. Pass `undefined` for work that outlives the request that started it. */
export function inScope<T>(scope: Scope | undefined, work: () => T): T {
  return scopes.run(scope, work);
}
