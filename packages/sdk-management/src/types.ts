import type { Operations, ROUTES } from './operations.ts';

/** The name of an operation, as `operationId` of the reference. */
export type OperationId = keyof Operations;
/** A service whose operations this client calls. */
export type Service = (typeof ROUTES)[OperationId]['service'];

/** What an operation takes. */
export type Input<I extends OperationId> = Omit<Operations[I], 'response'>;
/** What an operation returns; undefined for 204. */
export type Result<I extends OperationId> = Operations[I]['response'];

/** An operation that returns a list, of one page or several. */
export type ListId = {
  [I in OperationId]: (typeof ROUTES)[I] extends { items: string } ? I : never;
}[OperationId];
type ItemsOf<I extends ListId> = (typeof ROUTES)[I]['items'];
/** An entry of a list. */
export type Item<I extends ListId> = Result<I> extends Record<ItemsOf<I>, ReadonlyArray<infer T>> ? T : never;

export interface CallOptions {
  /** Ends the call: it rejects with the signal's reason. */
  signal?: AbortSignal;
}

type Arguments<I extends OperationId> =
  Record<never, never> extends Input<I>
    ? [input?: Input<I>, options?: CallOptions]
    : [input: Input<I>, options?: CallOptions];

export interface ClientOptions {
  /**
   * Address of the management API, without `/management/v1`; where each service has its own, a function of the
   * service. For operations whose path begins with `/v1`, that of the API.
   */
  url: string | ((service: Service) => string);
  /** Access token of somebody with the permissions for what is called, or what returns one for each request. */
  token: string | (() => string | Promise<string>);
  /** How long to try again while a service is unavailable or does not know the project yet, in ms. Default 15,000. */
  retryForMs?: number;
  /** How long one request may take, in ms. Default 10,000. */
  timeoutMs?: number;
}

/** What a call takes, for programs that choose the operation while they run. */
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
   * 429, 503 and a lost connection are tried again, for `retryForMs` in all, unless the call might then take effect
   * twice. A write to a project that its service does not know yet is tried again too.
   */
  call<I extends OperationId>(operation: I, ...given: Arguments<I>): Promise<Result<I>>;
  /** The entries of a list, page after page as they are asked for. Throws ManagementError. */
  list<I extends ListId>(operation: I, ...given: Arguments<I>): AsyncGenerator<Item<I>>;
  /** The same without types. */
  readonly untyped: AnyClient;
}
