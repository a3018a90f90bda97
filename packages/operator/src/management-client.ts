import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation, ServiceName } from '@switchboard/contracts';
import { z } from 'zod';

/** The management API refused a call, or could not be reached. The message says which call and why. */
export class ManagementError extends Error {
  override name = 'ManagementError';
  readonly status: number | undefined;

  constructor(message: string, status?: number) {
    super(message);
    this.status = status;
  }
}

interface ManagementClientOptions {
  /** Base address of a service's management API, without `/management/v1`. */
  addressOf(service: ServiceName): string;
  /** Access token with the permission `service.manage`. */
  token: string;
  /** How long a call is tried again while the service is away or does not know the project yet, in ms. */
  patienceMs?: number;
}

interface CallInput {
  params?: Record<string, string>;
  body?: unknown;
}

export interface ManagementClient {
  /** The parsed body of the answer; undefined for 204. Throws ManagementError. */
  call(operation: Operation, input: CallInput): Promise<unknown>;
}

const CALL_TIMEOUT_MS = 10_000;
const errorBody = z.object({ error: z.object({ message: z.string() }) });

/**
 * Calls the management API. A service learns of a project a moment after catalogue does, so a 404 from the
 * others is tried again like a 503, until `patienceMs` have passed.
 */
export function createManagementClient(options: ManagementClientOptions): ManagementClient {
  const { addressOf, token, patienceMs = 15_000 } = options;

  async function send(operation: Operation, { params = {}, body }: CallInput): Promise<unknown> {
    const path = operation.path.replaceAll(/\{(.+?)\}/g, (_, name: string) =>
      encodeURIComponent(params[name] ?? ''),
    );
    const call = `${operation.method.toUpperCase()} ${path}`;
    const response = await fetch(`${addressOf(operation.service)}${path}`, {
      method: operation.method.toUpperCase(),
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new ManagementError(`${call}: ${operation.service} does not answer (${reason(error)})`);
    });
    const text = await response.text();
    if (response.ok) return text === '' ? undefined : JSON.parse(text);
    throw new ManagementError(`${call}: ${refusal(text, response.status)}`, response.status);
  }

  return {
    async call(operation, input) {
      const until = Date.now() + patienceMs;
      for (let wait = 25; ; wait = Math.min(1000, wait * 2)) {
        try {
          return await send(operation, input);
        } catch (error) {
          const pause = wait * (0.5 + Math.random());
          if (!mayPass(error, operation) || Date.now() + pause > until) throw error;
          await sleep(pause);
        }
      }
    },
  };
}

function mayPass(error: unknown, operation: Operation): boolean {
  if (!(error instanceof ManagementError)) return false;
  if (error.status === undefined || error.status === 503) return true;
  return error.status === 404 && operation.service !== 'catalogue';
}

function refusal(text: string, status: number): string {
  try {
    return errorBody.parse(JSON.parse(text)).error.message;
  } catch {
    return `status ${status}`;
  }
}

function reason(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause;
  if (cause instanceof Error && 'code' in cause) return String(cause.code);
  return error.name === 'TimeoutError' ? `no answer within ${CALL_TIMEOUT_MS / 1000} s` : error.message;
}
