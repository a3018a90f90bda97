import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createUseReporter } from './use-reporter.ts';
import type { TokenUse } from './uses.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('reports the last use of each token once a minute, nothing without a use, and repeats failed reports', async () => {
  const reports: TokenUse[][] = [];
  const errors: unknown[] = [];
  let isFailing = false;
  const reporter = createUseReporter({
    async report(uses) {
      if (isFailing) throw new Error('the event log is unavailable');
      reports.push(uses);
    },
    onError: (error) => void errors.push(error),
  });
  reporter.start();
  for (let use = 0; use < 100; use++) reporter.used('tok_1');
  reporter.used('tok_2');
  const at = new Date().toISOString();
  await vi.advanceTimersByTimeAsync(180_000);
  expect(reports).toEqual([
    [
      { tokenId: 'tok_1', at },
      { tokenId: 'tok_2', at },
    ],
  ]);

  isFailing = true;
  const later = new Date().toISOString();
  reporter.used('tok_1');
  await vi.advanceTimersByTimeAsync(60_000);
  isFailing = false;
  expect(errors).toHaveLength(1);
  await reporter.stop();
  expect(reports.slice(1)).toEqual([[{ tokenId: 'tok_1', at: later }]]);
});
