/**
 * An error response. Rules throw it, and the kit formats it in the operation's error shape. The message is for the
 * caller: it names the field, the problem and the fix, and never contains a secret.
 */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    // Expected, so no stack trace: capturing one is the largest cost of a rejected request.
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 400: invalid request. */
export class BadRequest extends Rejection {
  constructor(message: string) {
    super(400, 'BAD_REQUEST', message);
  }
}

/** 400: the body is not JSON. */
export class NotJson extends BadRequest {}

/** 401: the credential is missing or invalid. */
export class Unauthorized extends Rejection {
  constructor(message: string) {
    super(401, 'UNAUTHORIZED', message, { 'WWW-Authenticate': 'Bearer' });
  }
}

/** 402: the plan does not include this. */
export class PlanRequired extends Rejection {
  constructor(message: string, code = 'PLAN_REQUIRED') {
    super(402, code, message);
  }
}

/** 403: the caller is not allowed to do this. */
export class Forbidden extends Rejection {
  constructor(message: string) {
    super(403, 'FORBIDDEN', message);
  }
}

/** 404: not found. */
export class NotFound extends Rejection {
  constructor(message: string) {
    super(404, 'NOT_FOUND', message);
  }
}

/** 404: the project does not exist, or its company is not the caller's. The audit trail records it as a refusal. */
export class NotYours extends NotFound {
  constructor() {
    super('Project not found, or you are not a member of its company.');
  }
}

/** 412: the resource is not in the state that If-Match names. */
export class PreconditionFailed extends Rejection {
  constructor(message: string) {
    super(412, 'PRECONDITION_FAILED', message);
  }
}

/** 409: the state of the resource does not allow this. */
export class Conflict extends Rejection {
  constructor(message: string) {
    super(409, 'CONFLICT', message);
  }
}

/** 408: the body arrives too slowly. */
export class TooSlow extends Rejection {
  constructor(message: string) {
    super(408, 'BAD_REQUEST', message);
  }
}

/** 413: larger than the operation accepts. */
export class PayloadTooLarge extends Rejection {
  constructor(message: string) {
    super(413, 'PAYLOAD_TOO_LARGE', message);
  }
}

/** 415: unsupported Content-Encoding. */
export class UnsupportedEncoding extends Rejection {
  constructor(message: string) {
    super(415, 'BAD_REQUEST', message, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
  }
}

/** 429: retry after the given number of seconds. */
export class RateLimited extends Rejection {
  constructor(message: string, retryAfterSeconds: number) {
    super(429, 'RATE_LIMITED', message, { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) });
  }
}

/** The message of a 503 while MAX_BYTES_IN_FLIGHT is used up. */
export const OVERLOADED = 'Service overloaded. Retry after the time in Retry-After.';

/** 503: a dependency is unavailable or the service is overloaded. Retry after the given number of seconds. */
export class Unavailable extends Rejection {
  constructor(message: string, retryAfterSeconds = 1) {
    super(503, 'UNAVAILABLE', message, { 'Retry-After': String(retryAfterSeconds) });
  }
}
