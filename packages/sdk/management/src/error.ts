interface Details {
  status?: number;
  code?: string;
  requestId?: string;
  retryAfterMs?: number;
  isUncertain?: boolean;
}

/** The API rejected a call or could not be reached. The message contains the call and the reason. */
export class ManagementError extends Error {
  override name = 'ManagementError';
  /** The status of the response. Undefined without a response. */
  readonly status: number | undefined;
  /** The error code of the response, such as `NOT_FOUND`. */
  readonly code: string | undefined;
  /** `X-Request-Id` of the response, which identifies its logs. */
  readonly requestId: string | undefined;
  /** The response's `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Whether the call may have taken effect although no response was received. */
  readonly isUncertain: boolean;

  constructor(message: string, details: Details = {}) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.retryAfterMs = details.retryAfterMs;
    this.isUncertain = details.isUncertain ?? false;
  }
}

/** Returns whether the error is a 404: the resource or its parent does not exist. */
export function isNotFound(error: unknown): boolean {
  return error instanceof ManagementError && error.status === 404;
}

/** Creates the error for a response. */
export function errorOf(call: string, { status, headers }: Response, text: string): ManagementError {
  const { code, message = `status ${status}` } = bodyOf(text);
  const requestId = headers.get('X-Request-Id') ?? undefined;
  const after = retryAfterOf(headers.get('Retry-After'));
  return new ManagementError(`${call}: ${message}`, {
    status,
    ...(code !== undefined && { code }),
    ...(requestId !== undefined && { requestId }),
    ...(after !== undefined && { retryAfterMs: after }),
  });
}

function bodyOf(text: string): { code?: string; message?: string } {
  try {
    const { error } = JSON.parse(text);
    return { code: String(error.code), message: String(error.message) };
  } catch {
    return {}; // The response is not from Switchboard.
  }
}

function retryAfterOf(value: string | null): number | undefined {
  if (value === null) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}
