import { STATUS_CODES } from 'node:http';
import { type ErrorShape, ofrepCodeOf } from '@switchboard/contracts';
import { block, type Line, setting } from './caddy-syntax.ts';

interface Failure {
  /** The name for its matchers. */
  id: string;
  status: number;
  code: string;
  message: string;
  /** The expression for the Caddy errors that this handles. Handles all other errors if absent. */
  when?: string;
}

const FAILURES: Failure[] = [
  {
    id: 'other-host',
    when: '{http.error.status_code} == 404 && {http.error.message} != ""',
    status: 404,
    code: 'NOT_FOUND',
    message: 'Not found: this path is served by {http.error.message}.',
  },
  {
    id: '404',
    when: '{http.error.status_code} == 404',
    status: 404,
    code: 'NOT_FOUND',
    message: 'Not found. See /docs for the reference.',
  },
  {
    id: '413',
    // When the limit is reached while proxying a body, Caddy reports a proxy failure.
    when: '{http.error.status_code} == 413 || {http.error.message}.contains("request body too large")',
    status: 413,
    code: 'PAYLOAD_TOO_LARGE',
    message: 'The body is larger than this operation accepts.',
  },
  {
    id: '503',
    status: 503,
    code: 'UNAVAILABLE',
    message: 'Service temporarily unavailable. Retry after the time in Retry-After.',
  },
];

/** Sets headers on every response, unless the service has set them. HSTS is off until a setting gives its seconds. */
export function securityHeaders(): Line[] {
  const seconds = setting('HSTS_SECONDS', '0');
  return [
    'header ?X-Content-Type-Options nosniff',
    `@hsts expression \`${seconds} > 0\``,
    `header @hsts ?Strict-Transport-Security "max-age=${seconds}"`,
  ];
}

/** Handles the gateway's own errors, in the error shape of the path. */
export function failures(): Line {
  return block('(failures)', [
    block('handle_errors', [
      'header -Server',
      ...securityHeaders(),
      'header X-Request-Id {http.request.header.X-Request-Id}',
      'header Access-Control-Allow-Origin *',
      'header Access-Control-Expose-Headers "Retry-After, X-Request-Id, X-Error"',
      ...FAILURES.map(answer),
    ]),
  ]);
}

function answer(failure: Failure): Line {
  const { id, status, when } = failure;
  const bodies = [
    ...(status === 503 ? ['header Retry-After 2'] : []),
    ...(['empty', 'A', 'ofrep', 'B'] as const).map((shape) => inShape(shape, failure)),
  ];
  if (when === undefined) return block('handle', bodies);
  return [`@${id} expression \`${when}\``, block(`handle @${id}`, bodies)];
}

function inShape(shape: ErrorShape, { id, status, code, message }: Failure): Line {
  const name = `${shape}-${id}`;
  if (shape === 'empty') {
    const lines = [`header X-Error "${message}"`, `respond "" ${status}`];
    return [`@${name} vars shape empty`, block(`handle @${name}`, lines)];
  }
  const body = {
    A: { statusCode: status, message, error: STATUS_CODES[status] },
    B: { error: { code, message } },
    ofrep: { errorCode: ofrepCodeOf(status), errorDetails: message },
  }[shape];
  const lines = [
    'header Content-Type "application/json; charset=utf-8"',
    `respond \`${JSON.stringify(body)}\` ${status}`,
  ];
  if (shape === 'B') return block('handle', lines);
  return [`@${name} vars shape ${shape}`, block(`handle @${name}`, lines)];
}
