import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential, Operation } from '@switchboard/contracts';

/** The person an access token names. */
export interface Person {
  sub: string;
  name?: string | undefined;
  permissions: readonly string[];
}

/** The project that a request acts on, as the directory knows it. */
export interface ProjectAccess {
  id: string;
  companyId: string;
  region: string;
}

/** An operation's own error codes by status, which replace those of the kit. */
export type ErrorCodes = Readonly<Record<number, string>>;

interface RequestVariables {
  requestId: string;
  /** The caller's IPv4 address or IPv6 /64 network, determined with TRUSTED_PROXY_HOPS. */
  address: string;
  operation: Operation | undefined;
  errorCodes: ErrorCodes | undefined;
}

/**
 * What a handler finds in `c.var`, by the credential of its operation. Reading `c.var` copies all of it, so what runs
 * for every request takes `c.get`.
 */
interface CredentialVariables {
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
  Variables: RequestVariables & CredentialVariables[C];
}

export type KitEnv = OperationEnv;
