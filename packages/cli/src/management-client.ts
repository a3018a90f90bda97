import type { Operation, ServiceName } from '@switchboard/contracts';
import { backoffDelay, pause } from '@switchboard/resilience';
import { z } from 'zod';

/** The management API refused a call or could not be reached. The message names the call and the reason. */
export class ManagementError extends Error {
  override name = 'ManagementError';
  readonly status: number | undefined;
  /** The answer's Retry-After, in ms. */
  readonly retryAfterMs: number | undefined;
  /** Whether the call may have taken effect although no answer came. */
  readonly isUncertain: boolean;

  constructor(
    message: string,
    details: { status?: number; retryAfterMs?: number; isUncertain?: boolean } = {},
  ) {
    super(message);
    this.status = details.status;
    this.retryAfterMs = details.retryAfterMs;
    this.isUncertain = details.isUncertain ?? false;
  }
}

/** Whether the error is a 404: the resource or its parent does not exist. */
export const isNotFound = (error: unknown): boolean =>
  error instanceof ManagementError && error.status === 404;

interface ManagementClientOptions {
  /** Base address of a service's management API, without `/management/v1`. */
  addressOf(service: ServiceName): string;
  /** Access token of somebody with the permissions of what is called. */
  token: string;
  /** How long to retry while the service is unavailable or does not know the project yet, in ms. */
  retryForMs?: number;
}

interface CallInput {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
}

export interface ManagementClient {
  /** Returns the parsed body, undefined for 204. Throws ManagementError. */
  call(operation: Operation, input?: CallInput): Promise<unknown>;
}

const CALL_TIMEOUT_MS = 10_000;
const RETRY_BACKOFF = { baseMs: 50, maxMs: 1000 };
const errorBody = z.object({ error: z.object({ message: z.string() }) });

/** What to do about a refusal whose message does not say. */
const ADVICE: Record<number, string> = {
  401: 'the access token is missing, invalid or expired; set SWITCHBOARD_TOKEN to a new one',
  403: 'the access token needs service.manage, or its person a role in the company',
};

/**
 * Calls the management API. Services learn of a project a moment after catalogue, so their 404 to a write is
 * retried like 429 and 503, for up to `retryForMs`.
 */
export function createManagementClient(options: ManagementClientOptions): ManagementClient {
  const { addressOf, token, retryForMs = 15_000 } = options;

  async function send(operation: Operation, { params = {}, query, body }: CallInput): Promise<unknown> {
    const path = operation.path.replaceAll(/\{(.+?)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const call = `${operation.method.toUpperCase()} ${path}`;
    const search = new URLSearchParams(query).toString();
    const base = addressOf(operation.service);
    try {
      const response = await fetch(`${base}${path}${search && `?${search}`}`, {
        method: operation.method.toUpperCase(),
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await response.text();
      if (!response.ok) throw refused(call, response, text);
      return text === '' ? undefined : JSON.parse(text);
    } catch (error) {
      if (error instanceof ManagementError) throw error;
      const why = reason(error);
      throw new ManagementError(`${call}: ${operation.service} cannot be reached at ${base} (${why})`, {
        isUncertain: why !== 'ECONNREFUSED' && why !== 'ENOTFOUND',
      });
    }
  }

  return {
    async call(operation, input = {}) {
      const deadline = Date.now() + retryForMs;
      for (let attempt = 0; ; attempt++) {
        try {
          return await send(operation, input);
        } catch (error) {
          if (!(error instanceof ManagementError) || !isRetryable(error, operation)) throw error;
          const waitMs = Math.max(error.retryAfterMs ?? 0, backoffDelay(attempt, RETRY_BACKOFF));
          if (Date.now() + waitMs > deadline) throw error;
          await pause(waitMs);
        }
      }
    },
  };
}

function isRetryable({ status, isUncertain }: ManagementError, { method, service }: Operation): boolean {
  if (status === undefined) return method !== 'post' || !isUncertain; // A POST that took effect created something.
  if (status === 429 || status === 503) return true;
  return status === 404 && service !== 'catalogue' && (method === 'put' || method === 'post');
}

function refused(call: string, { status, headers }: Response, text: string): ManagementError {
  const seconds = Number(headers.get('retry-after') ?? Number.NaN);
  const said = messageOf(text) ?? `status ${status}`;
  const tip = ADVICE[status];
  return new ManagementError(tip === undefined ? `${call}: ${said}` : `${call}: ${said} (${tip})`, {
    status,
    ...(Number.isFinite(seconds) ? { retryAfterMs: seconds * 1000 } : {}),
  });
}

function messageOf(text: string): string | undefined {
  try {
    return errorBody.parse(JSON.parse(text)).error.message;
  } catch {
    return undefined;
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name === 'TimeoutError' ? `no answer within ${CALL_TIMEOUT_MS / 1000} s` : error.message;
}
