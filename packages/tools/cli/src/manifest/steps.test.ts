import { expect, test } from 'vitest';
import { parseManifest } from './manifest.ts';
import { stagesOf } from './steps.ts';

test('plans are created one by one in the order of the manifest, which is the order of lists', () => {
  const tiers = ['starter', 'growth', 'scale', 'own'];
  const plans = tiers.map(
    (tier) => `  - {tier: ${tier}, cycle: monthly, trialDays: 0, priced: false, entitlements: {}}`,
  );
  const stages = stagesOf(parseManifest(['plans:', ...plans].join('\n')));
  expect(stages.map((stage) => stage.map(({ params }) => params['tier']))).toEqual(
    tiers.map((tier) => [tier]),
  );
});
