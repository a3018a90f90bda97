import { createLogger } from '@switchboard/runtime';
import { expect, it } from 'vitest';
import { toError } from './queue-error.ts';

function logged(emitted: unknown) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  createLogger({ service: 'collaboration', level: 'warn', destination }).warn({ error: toError(emitted) });
  return JSON.parse(lines[0] ?? '').error;
}

it('logs message, code and stack of an error that pg-boss emits as a plain object', () => {
  const error = Object.assign(new Error('connection refused'), { code: 'ECONNREFUSED' });
  // The same shape that pg-boss emits in its manager.
  const emitted = { ...error, message: error.message, stack: error.stack, queue: 'deliveries', worker: 'w1' };
  expect(logged(emitted)).toMatchObject({
    message: 'connection refused',
    code: 'ECONNREFUSED',
    stack: expect.stringContaining('queue-error.test.ts'),
  });
});

it('logs an Error as it is, and other values without their content', () => {
  expect(logged(new TypeError('no'))).toMatchObject({ name: 'TypeError', message: 'no' });
  expect(logged('odd')).toMatchObject({ name: 'Error', message: 'unknown error' });
});
