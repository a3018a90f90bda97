import { STATUS_CODES } from 'node:http';
import { type ErrorShape, ofrepCodeOf, ofrepErrorCode } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import { EventLogBusy, EventLogUnavailable } from '@switchboard/event-log';
import { ObjectStoreError } from '@switchboard/object-store';
import type { ErrorCodes } from './env.ts';
import { NotJson, OVERLOADED, Rejection, Unavailable } from './errors.ts';

/** Codes of the kit's own rejections. An operation may replace them. */
const KIT_CODES = new Set(['FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL']);

/** Returns the rejection that a thrown value represents; undefined for a defect. */
export function toRejection(error: unknown): Rejection | undefined {
  if (error instanceof Rejection) return error;
  if (error instanceof EventLogBusy) {
    return new Unavailable(OVERLOADED);
  }
  if (error instanceof EventLogUnavailable || error instanceof ObjectStoreError || isUnavailable(error)) {
    return new Unavailable('Service temporarily unavailable. Retry after the time in Retry-After.', 2);
  }
  return undefined;
}

interface ErrorDetails {
  /** The operation's own codes. */
  codes?: ErrorCodes | undefined;
  /** The operation's own headers. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The key of the flag in the path, for the shape `ofrep`. */
  flagKey?: string | undefined;
}

/** Returns the response to a rejection in an operation's error shape. */
export function errorResponse(
  shape: ErrorShape,
  rejection: Rejection,
  { codes = {}, headers: own, flagKey }: ErrorDetails = {},
): Response {
  const { status, message } = rejection;
  const headers = { ...rejection.headers, ...own };
  const code = KIT_CODES.has(rejection.code) ? (codes[status] ?? rejection.code) : rejection.code;
  if (shape === 'empty') {
    return new Response(null, { status, headers: { ...headers, 'X-Error': headerText(message) } });
  }
  return new Response(JSON.stringify(bodyOf(shape)), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
  });

  function bodyOf(jsonShape: Exclude<ErrorShape, 'empty'>): object {
    switch (jsonShape) {
      case 'A':
        return { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' };
      case 'B':
        return { error: { code, message } };
      case 'ofrep':
        return { key: flagKey, errorCode: ofrepCode(rejection), errorDetails: message };
    }
  }
}

function ofrepCode(rejection: Rejection): string {
  if (rejection instanceof NotJson) return 'PARSE_ERROR';
  return ofrepErrorCode.safeParse(rejection.code).data ?? ofrepCodeOf(rejection.status);
}

/** Limits a header value to printable ASCII. */
function headerText(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500);
}
