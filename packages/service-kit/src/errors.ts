/**
 * An answer other than success. Rules throw one; the kit turns it into the operation's error shape.
 * The message is written for the caller: what, where, what to do. It never carries a secret.
 */
export class Rejection extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, headers: Record<string, string> = {}) {
    super(message);
    this.name = new.target.name;
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** 400: the request does not describe the thing. */
export class BadRequest extends Rejection {
  constructor(message: string) {
    super(400, 'BAD_REQUEST', message);
  }
}

/** 401: the credential is missing or not valid. */
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

/** 403: the caller may not. */
export class Forbidden extends Rejection {
  constructor(message: string) {
    super(403, 'FORBIDDEN', message);
  }
}

/** 404: not there. */
export class NotFound extends Rejection {
  constructor(message: string) {
    super(404, 'NOT_FOUND', message);
  }
}

/** 409: the thing's state does not allow it. */
export class Conflict extends Rejection {
  constructor(message: string) {
    super(409, 'CONFLICT', message);
  }
}

/** 413: larger than this operation takes. */
export class PayloadTooLarge extends Rejection {
  constructor(message: string) {
    super(413, 'PAYLOAD_TOO_LARGE', message);
  }
}

/** 415: a Content-Encoding that is not understood. */
export class UnsupportedEncoding extends Rejection {
  constructor(message: string) {
    super(415, 'BAD_REQUEST', message, { 'Accept-Encoding': 'gzip, deflate, br, zstd' });
  }
}

/** 429: come back after so many seconds. */
export class RateLimited extends Rejection {
  constructor(message: string, retryAfterSeconds: number) {
    super(429, 'RATE_LIMITED', message, { 'Retry-After': String(Math.max(1, Math.ceil(retryAfterSeconds))) });
  }
}

/** 503: a dependency is away or the service is full; come back after so many seconds. */
export class Unavailable extends Rejection {
  constructor(message: string, retryAfterSeconds = 1) {
    super(503, 'UNAVAILABLE', message, { 'Retry-After': String(retryAfterSeconds) });
  }
}
