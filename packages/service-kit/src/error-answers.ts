import { STATUS_CODES } from 'node:http';
import type { ErrorShape } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import { EventLogBusy, EventLogUnavailable } from '@switchboard/event-log';
import type { z } from 'zod';
import type { ErrorCodes } from './env.ts';
import { BadRequest, Rejection, Unavailable } from './errors.ts';

/** What the kit answers by itself; a rule that throws a code of its own means that one. */
const kitCodes = new Set(['FORBIDDEN', 'PAYLOAD_TOO_LARGE', 'RATE_LIMITED', 'INTERNAL']);

/** What a thrown value means to the caller; undefined for a defect. */
export function toRejection(error: unknown): Rejection | undefined {
  if (error instanceof Rejection) return error;
  if (error instanceof EventLogBusy) {
    return new Unavailable('The service is taking in as much as it can; send this again after Retry-After.');
  }
  if (error instanceof EventLogUnavailable || isUnavailable(error)) {
    return new Unavailable('A dependency of this service is away; send this again after Retry-After.', 2);
  }
  return undefined;
}

/** The answer of a rejection in an operation's error shape, with its own codes where it has some. */
export function errorResponse(shape: ErrorShape, rejection: Rejection, codes: ErrorCodes = {}): Response {
  const { status, message, headers } = rejection;
  const code = kitCodes.has(rejection.code) ? (codes[status] ?? rejection.code) : rejection.code;
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

/** A header takes printable ASCII alone. */
function headerText(message: string): string {
  return message.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 500);
}

/** The first problem as `events[3].timestamp: not a date and time`; `where` names the root when there is no path. */
export function invalid(error: z.ZodError | z.core.$ZodError, where: string): BadRequest {
  const issue = error.issues[0];
  if (issue === undefined) return new BadRequest(`${where}: not valid`);
  return new BadRequest(`${issuePath(issue.path) || where}: ${issueMessage(issue)}`);
}

export function issuePath(path: readonly PropertyKey[]): string {
  return path
    .map((part, index) => {
      if (typeof part === 'number') return `[${part}]`;
      const name = clip(String(part));
      return index === 0 ? name : `.${name}`;
    })
    .join('');
}

function issueMessage(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') {
    return `unknown property ${issue.keys
      .slice(0, 5)
      .map((key) => JSON.stringify(clip(key)))
      .join(', ')}`;
  }
  const message = issue.message.replace(/^Invalid input: /, '');
  if (message === 'expected nonoptional, received undefined') return 'required';
  if (/received undefined$/.test(message)) return 'required';
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function clip(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}...` : text;
}
