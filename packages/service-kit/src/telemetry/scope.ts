import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEntry } from '@switchboard/contracts';
import type { Span } from './tracing/tracing.ts';

/** A request and its entry of the audit trail, until that is written. */
export interface Audited {
  entry: AuditEntry;
  /** Whether its entry belongs in the transaction of what it changes. */
  isWrite: boolean;
  isWritten: boolean;
  /** The entry is of now, from here on. */
  setTime(): void;
  onWritten(): void;
}

/** The request and span on whose behalf code runs. Log lines and published records carry their ids. */
export interface Scope {
  requestId?: string | undefined;
  span?: Span | undefined;
  /** What is known of the caller; the project is, once its key was checked. */
  exchange?: { address: string; projectId?: string; audited?: Audited };
}

const scopes = new AsyncLocalStorage<Scope | undefined>();

export const currentScope = (): Scope | undefined => scopes.getStore();

/** Runs work in a scope; `undefined` is for work that outlives the request that started it. */
export function inScope<T>(scope: Scope | undefined, work: () => T): T {
  return scopes.run(scope, work);
}
