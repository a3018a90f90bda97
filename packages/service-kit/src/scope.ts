import { AsyncLocalStorage } from 'node:async_hooks';
import type { Span } from './tracing/tracing.ts';

/** What the work under way is done for: named by every line logged meanwhile and by every record published. */
export interface Scope {
  requestId?: string | undefined;
  span?: Span | undefined;
}

const scopes = new AsyncLocalStorage<Scope | undefined>();

export const currentScope = (): Scope | undefined => scopes.getStore();

/** Does work within a scope; `undefined` is for what outlives the request that happened to begin it. */
export function inScope<T>(scope: Scope | undefined, work: () => T): T {
  return scopes.run(scope, work);
}
