import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLogger } from '../telemetry/logger.ts';
import { debugOnSignal } from './log-level.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  process.removeAllListeners('SIGUSR2');
});

it('raises the log level on SIGUSR2 until ten minutes after the last one, and logs it', () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const logger = createLogger({ service: 'flags', level: 'warn', destination });
  const passOn = vi.fn();
  debugOnSignal(logger, passOn);
  logger.debug('before');
  process.emit('SIGUSR2');
  logger.debug('raised');
  vi.advanceTimersByTime(9 * 60_000);
  process.emit('SIGUSR2');
  vi.advanceTimersByTime(9 * 60_000);
  logger.debug('still raised');
  vi.advanceTimersByTime(60_000);
  logger.info('after');
  expect(lines.map(({ msg }) => msg)).toEqual([
    'log level raised by SIGUSR2',
    'raised',
    'log level raised by SIGUSR2',
    'still raised',
    'log level restored',
  ]);
  expect(lines.at(-1)).toMatchObject({ level: 'info', logLevel: 'warn' });
  expect(passOn).toHaveBeenCalledTimes(2);
});
