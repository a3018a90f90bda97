import type { Target } from '../lib/compare.ts';
import type { Deployment } from './deployment.ts';

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

/** Starts catalogue, and returns reads of ten plans and twenty AI models beside ready bytes. */
export async function listTargets({ startCatalogue }: Deployment): Promise<Target[]> {
  const { service, put, floor } = await startCatalogue();
  for (let index = 0; index < 10; index++) {
    await put(`/plans/tier-${index}/monthly`, { trialDays: 14, priced: true, entitlements: ENTITLEMENTS });
  }
  for (let index = 0; index < 20; index++) {
    await put(`/ai/models/model-${index}`, { displayName: 'A model', perMillion: PER_MILLION });
  }
  const [plans, unmodified, models] = LISTS;
  const read = await floor.read(plans, service, '/v1/plans');
  return [
    read,
    await floor.notModified(unmodified, read),
    await floor.read(models, service, '/v1/ai/models'),
  ];
}
