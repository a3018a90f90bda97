import type { Operations, ROUTES } from './operations.ts';

/** The name of an operation: its `operationId` in the reference. */
export type OperationId = keyof Operations;
/** A service with operations that this client calls. */
export type Service = (typeof ROUTES)[OperationId]['service'];

/** The input of an operation. */
export type Input<I extends OperationId> = Omit<Operations[I], 'response'>;
/** The result of an operation. Undefined for 204. */
export type Result<I extends OperationId> = Operations[I]['response'];

/** An operation that returns a list of one or more pages. */
export type ListId = {
  [I in OperationId]: (typeof ROUTES)[I] extends { items: string } ? I : never;
}[OperationId];
type ItemsOf<I extends ListId> = (typeof ROUTES)[I]['items'];
/** An entry of a list. */
export type Item<I extends ListId> = Result<I> extends Record<ItemsOf<I>, ReadonlyArray<infer T>> ? T : never;

export interface CallOptions {
  /** Aborts the call, which rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Receives the `ETag` of the response, if it has one, for `If-Match` of a later change. */
  onETag?: (etag: string) => void;
  /** How long each attempt may take. Default: that of the client. */
  timeoutMs?: number;
}

type Arguments<I extends OperationId> =
  Record<never, never> extends Input<I>
    ? [input?: Input<I>, options?: CallOptions]
    : [input: Input<I>, options?: CallOptions];

export interface ClientOptions {
  /**
   * URL of the management API, without `/management/v1`. If each service has its own, a function of the service.
   * For operations with a path that begins with `/v1`, the URL of the API.
   */
  url: string | ((service: Service) => string);
  /**
   * Whether to call the API host as a member of a company: management operations that roles allow are at `/v1` there.
   */
  isConsole?: boolean;
  /** Access token with the permissions for the calls, or a function that returns one for each request. */
  token: string | (() => string | Promise<string>);
  /** How long to retry while a service is unavailable or does not know the project yet, in ms. Default 15,000. */
  retryForMs?: number;
  /** The timeout of one request, in ms. Default 10,000. */
  timeoutMs?: number;
}

/** The input of a call, for programs that choose the operation at run time. */
export interface AnyInput {
  params?: Record<string, string>;
  query?: Record<string, string | number | undefined>;
  headers?: Record<string, string | undefined>;
  body?: unknown;
}

export interface AnyClient {
  call(operation: OperationId, input?: AnyInput, options?: CallOptions): Promise<unknown>;
  list(operation: ListId, input?: AnyInput, options?: CallOptions): AsyncGenerator<unknown>;
}

export interface Client {
  /**
   * Calls an operation and returns the body of its response. Throws ManagementError.
   *
   * Retries 429, 503 and a lost connection for up to `retryForMs`, unless the call might then take effect twice.
   * Also retries a write to a project that its service does not know yet.
   */
  call<I extends OperationId>(operation: I, ...given: Arguments<I>): Promise<Result<I>>;
  /** Yields the entries of a list and reads pages on demand. Throws ManagementError. */
  list<I extends ListId>(operation: I, ...given: Arguments<I>): AsyncGenerator<Item<I>>;
  /** The same client without types. */
  readonly untyped: AnyClient;
}
