import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential, Operation } from '@switchboard/contracts';
import type { Person } from './access-tokens.ts';

/** The project that a request acts on, as the directory knows it. */
export interface ProjectAccess {
  id: string;
  companyId: string;
  region: string;
}

/** Codes by status, in place of the kit's. */
export type ErrorCodes = Readonly<Record<number, string>>;

interface RequestFacts {
  requestId: string;
  /** The caller's address, by TRUSTED_PROXY_HOPS. */
  address: string;
  operation: Operation | undefined;
  /** The codes of the operation's own for some statuses. */
  errorCodes: ErrorCodes | undefined;
}

/** What a credential lets a handler read with `c.get`. */
interface CredentialFacts {
  public: unknown;
  'project-key': { project: ProjectAccess };
  conversation: { project: ProjectAccess };
  ingestion: { project: ProjectAccess };
  'access-token': { project: ProjectAccess; person: Person };
  management: { person: Person };
}

/** The Hono environment of an operation with this credential. */
export interface OperationEnv<C extends Credential = 'public'> {
  Bindings: { incoming?: IncomingMessage; outgoing?: ServerResponse };
  Variables: RequestFacts & CredentialFacts[C];
}

export type KitEnv = OperationEnv;
