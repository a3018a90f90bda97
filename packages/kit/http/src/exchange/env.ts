import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Credential, Operation, Permission } from '@switchboard/contracts';
import type { ApiToken } from '@switchboard/directory';
import type { Audited } from '../audit/change.ts';

/** The person that an access token names. */
export interface Person {
  sub: string;
  name?: string | undefined;
  permissions: readonly string[];
}

/** The permissions of a caller with an access token. */
export interface Authority {
  /** The person that a personal token acts for, or the service token itself, by its id. */
  person: Person;
  /** The personal access token or service token of the request. */
  token?: ApiToken | undefined;
  /** Whether the access token grants the permission in every company. Only for management operations. */
  hasEverywhere(permission: Permission): boolean;
  /** Whether the access token or the role in this company grants it. An undefined company does not exist. */
  has(permission: Permission, companyId: string | undefined): Promise<boolean>;
  /** Throws Forbidden unless `has` resolves to true. */
  require(permission: Permission, companyId: string | undefined): Promise<void>;
}

/** The project that a request acts on, as stored in the directory. */
export interface ProjectAccess {
  id: string;
  companyId: string;
  region: string;
  /** The origins of pages that may use a key of the project; absent allows any. */
  allowedOrigins?: readonly string[] | undefined;
  /** The APIs of other products that a key of the project works with; absent for none. */
  wires?: readonly string[] | undefined;
  /** The ingestion rate that an operator allows; 0 allows nothing, absent sets no limit. */
  eventsPerSecond?: number | undefined;
}

/** An operation's own error codes by status. They replace those of the kit. */
export type ErrorCodes = Readonly<Record<number, string>>;

/** A request and its metadata: `c.env`. */
export interface Exchange {
  /** Absent if the request did not come over HTTP. */
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
  /** The company that the permission applies to; absent if there is none or if it does not exist. */
  companyId?: string;
  /** The only origin that may read the response, if the project lists origins; null for none. */
  corsOrigin?: string | null;
  /** The audit record of an operation that needs a permission. */
  audited?: Audited;
  /** The content of a request of an SDK; absent if it was not read. */
  sent?: Sent;
}

/** The content of a request of an SDK. */
export interface Sent {
  /** The number of events and calls. */
  events: number;
  /** The name and version of the SDK, if they are known. */
  sdk?: string | undefined;
  version?: string | undefined;
}

/**
 * The variables in `c.var`, by the credential of the operation. Reading `c.var` copies all of it, so code that runs
 * for every request uses `c.get`.
 */
interface CredentialVariables {
  public: object;
  'project-key': { project: ProjectAccess };
  conversation: { project: ProjectAccess };
  ingestion: { project: ProjectAccess };
  'access-token': { project: ProjectAccess; person: Person; authority: Authority };
  console: { person: Person };
  management: { person: Person; authority: Authority };
}

/** The Hono environment of an operation with this credential. */
export interface OperationEnv<C extends Credential = 'public'> {
  Bindings: Exchange;
  Variables: CredentialVariables[C];
}

export type KitEnv = OperationEnv;
