import type { Target } from '../lib/compare.ts';
import { HEAP_FLAGS, openBenchHarness } from '../lib/harness.ts';
import { startReadyBytes } from '../lib/ready-bytes.ts';

/** Reads of catalogue's public lists. */
export const LISTS = ['plans', 'plans, 304', 'AI models'] as const;

const ENTITLEMENTS = { articleSearch: true, aiTranslations: true, aiTranslationBytesPerMonth: 1_000_000 };
const PER_MILLION = {
  input: 3e6,
  output: 15e6,
  cacheWrite5m: 3_750_000,
  cacheWrite1h: 6e6,
  cacheRead: 3e5,
};

/** Starts catalogue with ten plans and twenty AI models, and returns reads of them beside ready bytes. */
export async function startLists(
  flags: readonly string[],
): Promise<{ targets: Target[]; stop(): Promise<void> }> {
  const { harness, stop } = await openBenchHarness({ durable: false, env: { TOPIC_PARTITIONS: '1' } });
  const catalogue = await harness.spawn('catalogue', { flags: [...HEAP_FLAGS, ...flags], output: 'inherit' });
  const floor = await startReadyBytes(HEAP_FLAGS);
  harness.defer(() => floor.server.stop());
  const put = async (path: string, body: unknown) => {
    const { status } = await harness.manage('catalogue', 'PUT', path, body);
    if (status >= 300) throw new Error(`${path} got status ${status}`);
  };
  for (let index = 0; index < 10; index++) {
    await put(`/plans/tier-${index}/monthly`, { trialDays: 14, priced: true, entitlements: ENTITLEMENTS });
  }
  for (let index = 0; index < 20; index++) {
    await put(`/ai/models/model-${index}`, { displayName: 'A model', perMillion: PER_MILLION });
  }
  const [plans, unmodified, models] = LISTS;
  const read = await floor.read(plans, catalogue, '/v1/plans');
  const targets = [
    read,
    await floor.notModified(unmodified, read),
    await floor.read(models, catalogue, '/v1/ai/models'),
  ];
  return { targets, stop };
}
