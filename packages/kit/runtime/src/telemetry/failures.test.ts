import { expect, it } from 'vitest';
import { countFailures, createLogger } from './logger.ts';
import { createMetrics } from './metrics.ts';

it('counts every failure of background work at every log level, and logs one line a minute for each task', async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const metrics = createMetrics('flags');
  const logger = countFailures(createLogger({ service: 'flags', level: 'info', destination }), metrics);
  const silent = countFailures(createLogger({ service: 'flags', level: 'silent', destination }), metrics);

  for (const reason of ['one', 'two', 'three']) logger.failed('merge files', new Error(reason));
  logger.failed('erase', new Error('other'), { erasure: 'ers_1' });
  silent.failed('merge files', new Error('four'));

  const shown = lines.map(({ level, msg, task, erasure, error }) => ({ level, msg, task, erasure, error }));
  const msg = 'background work failed, retrying';
  expect(shown).toMatchObject([
    { level: 'error', msg, task: 'merge files', error: { message: 'one' } },
    { level: 'error', msg, task: 'erase', erasure: 'ers_1', error: { message: 'other' } },
  ]);
  const counted = /^switchboard_background_errors_total\{task="merge files",service="flags"\} (\d+)$/m;
  expect(counted.exec(await metrics.registry.metrics())?.[1]).toBe('4');
});
