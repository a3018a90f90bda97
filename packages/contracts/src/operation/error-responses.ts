import type { RouteConfig } from '@hono/zod-openapi';
import { z } from '@hono/zod-openapi';

/**
 * The shape of an error. `A` is `{statusCode, message, error}`, `B` is `{error: {code, message}}`, `ofrep` is `{key,
 * errorCode, errorDetails}` with the flag key of the path, and `empty` has no body and `X-Error`.
 */
export type ErrorShape = 'A' | 'B' | 'ofrep' | 'empty';

export const errorBodyA = z
  .object({ statusCode: z.int(), message: z.string(), error: z.string() })
  .openapi('ErrorA', {
    example: { statusCode: 400, message: 'distinct_id: required', error: 'Bad Request' },
  });

export const errorBodyB = z
  .object({ error: z.object({ code: z.string(), message: z.string() }) })
  .openapi('ErrorB', { example: { error: { code: 'BAD_REQUEST', message: 'text: required' } } });

export const ofrepErrorCode = z.enum([
  'PARSE_ERROR',
  'TARGETING_KEY_MISSING',
  'INVALID_CONTEXT',
  'FLAG_NOT_FOUND',
  'GENERAL',
]);
export type OfrepErrorCode = z.infer<typeof ofrepErrorCode>;

export const errorBodyOfrep = z
  .object({ key: z.string().optional(), errorCode: ofrepErrorCode, errorDetails: z.string() })
  .openapi('OfrepError', {
    example: {
      key: 'new-checkout',
      errorCode: 'FLAG_NOT_FOUND',
      errorDetails: 'There is no flag new-checkout.',
    },
  });

/** The reason phrase and default code of each status. */
const statuses: Record<number, [phrase: string, code: string]> = {
  400: ['Bad Request', 'BAD_REQUEST'],
  401: ['Unauthorized', 'UNAUTHORIZED'],
  402: ['Payment Required', 'PLAN_REQUIRED'],
  403: ['Forbidden', 'FORBIDDEN'],
  404: ['Not Found', 'NOT_FOUND'],
  408: ['Request Timeout', 'BAD_REQUEST'],
  409: ['Conflict', 'CONFLICT'],
  412: ['Precondition Failed', 'PRECONDITION_FAILED'],
  413: ['Payload Too Large', 'PAYLOAD_TOO_LARGE'],
  415: ['Unsupported Media Type', 'BAD_REQUEST'],
  429: ['Too Many Requests', 'RATE_LIMITED'],
  500: ['Internal Server Error', 'INTERNAL'],
  502: ['Bad Gateway', 'UNAVAILABLE'],
  503: ['Service Unavailable', 'UNAVAILABLE'],
};

/**
 * The meaning of an error status. A text is both description and example message. The form `CODE: message. OTHER:
 * message.` has an example for each code. An object has its own example messages, by code if there are several.
 */
export type ErrorMeaning = string | { description: string; message: string | Record<string, string> };

interface ErrorResponse {
  shape: ErrorShape;
  status: number;
  meaning: ErrorMeaning;
}

/** Returns an error response of an operation, with an example for each code. */
export function errorResponse({ shape, status, meaning }: ErrorResponse) {
  const [phrase, usualCode] = statuses[status] ?? ['Error', 'ERROR'];
  const { description, message } =
    typeof meaning === 'string' ? { description: meaning, message: messagesByCode(meaning) } : meaning;
  const faults =
    typeof message === 'string'
      ? [{ code: usualCode, message }]
      : Object.entries(message).map(([code, text]) => ({ code, message: text }));
  if (shape === 'empty') {
    const example = faults[0]?.message;
    return {
      description,
      headers: {
        'X-Error': { schema: { type: 'string', example }, description: 'The problem with the request.' },
      },
    } satisfies RouteConfig['responses'][string];
  }
  if (shape === 'ofrep') {
    const examples = Object.fromEntries(
      faults.map(({ code, message: errorDetails }) => {
        const errorCode = ofrepErrorCode.safeParse(code).data ?? ofrepCodeOf(status);
        return [errorCode, { value: { errorCode, errorDetails } }];
      }),
    );
    return { description, content: { 'application/json': { schema: errorBodyOfrep, examples } } };
  }
  const schema = shape === 'A' ? errorBodyA : errorBodyB;
  const examples = Object.fromEntries(
    faults.map((fault) => [
      fault.code,
      {
        value:
          shape === 'A' ? { statusCode: status, message: fault.message, error: phrase } : { error: fault },
      },
    ]),
  );
  return { description, content: { 'application/json': { schema, examples } } };
}

/** Returns the error code for a status that has no code in the protocol. */
export function ofrepCodeOf(status: number): OfrepErrorCode {
  return status === 400 ? 'INVALID_CONTEXT' : 'GENERAL';
}

/**
 * Parses `AI_DISABLED: The plan ... AI_LIMIT_REACHED: ...` into messages by code. Returns a text without codes
 * unchanged.
 */
function messagesByCode(description: string): string | Record<string, string> {
  const parts = [...description.matchAll(/\b([A-Z]+(?:_[A-Z]+)*): (.+?\.)(?= [A-Z_]+: |$)/g)];
  if (parts.length === 0) return description;
  return Object.fromEntries(parts.map(([, code = '', message = '']) => [code, message]));
}

/** Returns an example message for 400: a problem with the first required field of the request. */
export function exampleProblem(request: RouteConfig['request']): string | undefined {
  const media = request?.body?.content['application/json'];
  const inBody = media !== undefined && 'schema' in media ? requiredOf(media.schema)[0] : undefined;
  const name = inBody ?? requiredOf(request?.query)[0];
  if (name !== undefined) return `${name}: required`;
  const inPath = requiredOf(request?.params)[0];
  return inPath === undefined ? undefined : `${inPath}: longer than 200 characters`;
}

function requiredOf(schema: unknown): string[] {
  if (!(schema instanceof z.ZodObject)) return [];
  const fields: Record<string, z.ZodType> = schema.shape;
  return Object.keys(fields).filter((name) => fields[name]?.safeParse(undefined).success === false);
}
