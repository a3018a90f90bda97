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

test('subscriptions come after the reports and dashboards that they send', () => {
  const stages = stagesOf(
    parseManifest(`
companies:
  - id: co
    name: Company
    plan: { tier: pro, cycle: monthly }
    projects:
      - id: p
        name: Project
        region: eu
        defaultLanguage: en
        subscriptions:
          - id: daily
            target: { kind: dashboard, id: board }
            schedule: { every: day, at: "08:30", timeZone: UTC }
            recipients: [ada]
        dashboards: [{ id: board, name: Board }]
        reports: [{ id: orders, name: Orders }]
`),
  );
  expect(stages.map((stage) => stage.map(({ kind }) => kind.name)).slice(-2)).toEqual([
    ['report', 'dashboard'],
    ['subscription'],
  ]);
});

test('article search comes last, so that a plan without it keeps nothing else from being applied', () => {
  const stages = stagesOf(
    parseManifest(`
companies:
  - id: co
    name: Company
    plan: { tier: free, cycle: monthly }
    projects:
      - id: p
        name: Project
        region: eu
        defaultLanguage: en
        articleSearch: { on: true, placement: tab }
        messenger: {}
        flags: [{ key: beta, enabled: true, rolloutPercentage: 100 }]
`),
  );
  expect(stages.map((stage) => stage.map(({ kind }) => kind.name)).slice(-3)).toEqual([
    ['messenger'],
    ['flag'],
    ['article-search'],
  ]);
});
