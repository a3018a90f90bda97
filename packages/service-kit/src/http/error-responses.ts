import { STATUS_CODES } from 'node:http';
import type { ErrorShape } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import { EventLogBusy, EventLogUnavailable } from '@switchboard/event-log';
import type { ErrorCodes } from './env.ts';
import { OVERLOADED, Rejection, Unavailable } from './errors.ts';

/** Codes of the kit's own rejections, which an operation may replace. */
const KIT_CODES = new Set(['FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL']);

/** The rejection that a thrown value stands for; undefined for a defect. */
export function toRejection(error: unknown): Rejection | undefined {
  if (error instanceof Rejection) return error;
  if (error instanceof EventLogBusy) {
    return new Unavailable(OVERLOADED);
  }
  if (error instanceof EventLogUnavailable || isUnavailable(error)) {
    return new Unavailable('Service temporarily unavailable. Retry after the time in Retry-After.', 2);
  }
  return undefined;
}

/** The response to a rejection in an operation's error shape, with the operation's own codes. */
export function errorResponse(shape: ErrorShape, rejection: Rejection, codes: ErrorCodes = {}): Response {
  const { status, message, headers } = rejection;
  const code = KIT_CODES.has(rejection.code) ? (codes[status] ?? rejection.code) : rejection.code;
  if (shape === 'empty') {
    return new Response(null, { status, headers: { ...headers, 'X-Error': headerText(message) } });
  }
  const body =
    shape === 'A'
      ? { statusCode: status, message, error: STATUS_CODES[status] ?? 'Error' }
      : { error: { code, message } };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'Content-Type': 'application/json; charset=utf-8' },
  });
}

/** Header values are limited to printable ASCII. */
function headerText(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500);
}
