import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential, Operation, Permission } from '@switchboard/contracts';
import type { ApiToken } from '@switchboard/directory';
import type { Audited } from '../telemetry/scope.ts';

/** The person an access token names. */
export interface Person {
  sub: string;
  name?: string | undefined;
  permissions: readonly string[];
}

/** What the caller of an operation with an access token may do. */
export interface Authority {
  /** Whom a personal token acts as; a service token itself, by its id. */
  person: Person;
  /** The personal access token or service token that the request is made with. */
  token?: ApiToken | undefined;
  /** Whether the access token grants the permission in every company; only for an operation of management. */
  hasEverywhere(permission: Permission): boolean;
  /** Whether the access token grants it, or the role in this company. Undefined: a company that does not exist. */
  has(permission: Permission, companyId: string | undefined): Promise<boolean>;
  /** Throws Forbidden unless `has`. */
  require(permission: Permission, companyId: string | undefined): Promise<void>;
}

/** The project that a request acts on, as the directory knows it. */
export interface ProjectAccess {
  id: string;
  companyId: string;
  region: string;
  /** Of the pages that a key of the project serves; absent: any. */
  allowedOrigins?: readonly string[] | undefined;
  /** What an operator allows ingestion to take of it, 0: nothing; absent: any. */
  eventsPerSecond?: number | undefined;
}

/** An operation's own error codes by status, which replace those of the kit. */
export type ErrorCodes = Readonly<Record<number, string>>;

/** A request and what is known of it: `c.env`. */
export interface Exchange {
  /** Absent when the request did not come over HTTP. */
  incoming?: IncomingMessage;
  outgoing?: ServerResponse;
  requestId: string;
  /** The caller's IPv4 address or IPv6 /64 network, determined with TRUSTED_PROXY_HOPS. */
  address: string;
  /** Absent until the operation is found. */
  operation?: Operation;
  errorCodes?: ErrorCodes | undefined;
  errorHeaders?: Readonly<Record<string, string>> | undefined;
  /** Absent until access to a project is granted. */
  projectId?: string;
  /** Whose permission the caller has; absent for what concerns no company, or one that does not exist. */
  companyId?: string;
  /** The one origin that may read the response, where the project has a list of them; null: none. */
  corsOrigin?: string | null;
  /** Of an operation that needs a permission. */
  audited?: Audited;
}

/**
 * What a handler finds in `c.var`, by the credential of its operation. Reading `c.var` copies all of it, so what runs
 * for every request takes `c.get`.
 */
interface CredentialVariables {
  public: object;
  'project-key': { project: ProjectAccess };
  conversation: { project: ProjectAccess };
  ingestion: { project: ProjectAccess };
  'access-token': { project: ProjectAccess; person: Person };
  console: { person: Person };
  management: { person: Person; authority: Authority };
}

/** The Hono environment of an operation with this credential. */
export interface OperationEnv<C extends Credential = 'public'> {
  Bindings: Exchange;
  Variables: CredentialVariables[C];
}

export type KitEnv = OperationEnv;
