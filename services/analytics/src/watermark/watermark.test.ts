import { createLogger, systemClock } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import { expect, it, onTestFinished } from 'vitest';
import { createWatermark } from './watermark.ts';

function start(log: { ends: bigint[]; stored: bigint[] }) {
  let looks = 0;
  const watermark = createWatermark({
    log: { endOffsets: async () => log.ends },
    async stored() {
      looks++;
      return log.stored;
    },
    clock: systemClock,
    logger: createLogger({ service: 'analytics', level: 'silent' }),
  });
  watermark.start();
  onTestFinished(() => watermark.stop());
  /** Resolves after two more samples. */
  const looked = async () => {
    const wanted = looks + 2;
    await eventually(() => expect(looks).toBeGreaterThanOrEqual(wanted));
  };
  return { watermark, looked };
}

it('takes an empty topic as stored', async () => {
  const { watermark } = start({ ends: [0n, 0n], stored: [] });
  await eventually(() => expect(watermark.asOf()).toBeGreaterThan(0));
});

it('does not take offsets of the topic from before it was repartitioned as stored', async () => {
  const log = { ends: [3n, 2n, 1n], stored: [500n, 400n] };
  const { watermark, looked } = start(log);
  await looked();
  expect(watermark.asOf()).toBe(0);
  log.stored = [3n, 2n, 1n];
  await eventually(() => expect(watermark.asOf()).toBeGreaterThan(0));
});
