import { readFile } from 'node:fs/promises';
import { describe, expect, it, test } from 'vitest';
import { ManifestError, parseManifest } from './manifest.ts';

function refusal(source: string): string {
  try {
    parseManifest(source);
  } catch (error) {
    if (error instanceof ManifestError) return error.message;
    throw error;
  }
  return 'accepted';
}

const project = (more: string) => `
companies:
  - id: co
    name: Company
    plan: { tier: pro, cycle: monthly }
    projects:
      - { id: p, name: Project, region: eu, defaultLanguage: en, ${more} }
`;

describe('a manifest', () => {
  it('may omit every part', () => {
    expect(parseManifest('')).toEqual({ plans: [], ai: { models: [] }, companies: [] });
    expect(parseManifest(project('flags: []')).companies[0]?.projects[0]).toMatchObject({
      id: 'p',
      reports: [],
      cohorts: [],
      flags: [],
      team: [],
    });
  });

  it('may be JSON', () => {
    expect(parseManifest('{"ai":{"markupPercent":20}}').ai).toEqual({ markupPercent: 20, models: [] });
  });

  it('that is not YAML is refused with the line', () => {
    expect(refusal('plans: [\n  - x')).toMatch(/^not valid YAML: .*line \d/s);
  });

  it.each([
    ['an unknown part', 'plan: []', 'plan'],
    ['an unknown property', project('colour: red'), 'colour'],
    ['a wrong region', project('region: EU').replace('region: eu, ', ''), 'companies[0].projects[0].region'],
    [
      'a flag with a share past 100',
      project('flags: [{ key: a, enabled: true, rolloutPercentage: 101 }]'),
      'companies[0].projects[0].flags[0].rolloutPercentage',
    ],
  ])('with %s is refused, and the place is named', (_, source, place) => {
    expect(refusal(source)).toContain(place);
  });

  it.each([
    [
      'a flag',
      project('flags: [&f { key: a, enabled: true, rolloutPercentage: 1 }, *f]'),
      'flag p a: defined more than once',
    ],
    [
      'a plan',
      'plans: [&p { tier: t, cycle: c, trialDays: 0, priced: false, entitlements: {} }, *p]',
      'plan t c',
    ],
  ])('with a duplicate %s is refused', (_, source, place) => {
    expect(refusal(source)).toContain(place);
  });
});

test('the example manifest is valid', async () => {
  const source = await readFile(new URL('../../examples/acme.yaml', import.meta.url), 'utf8');
  expect(parseManifest(source).companies[0]?.projects.map(({ id }) => id)).toEqual(['acme-shop', 'acme-app']);
});
