import { readFile } from 'node:fs/promises';
import { documented } from '@switchboard/testkit';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { manifest, parseManifest } from './manifest.ts';
import { ManifestError } from './yaml.ts';

function refusal(source: string): string {
  try {
    parseManifest(source, 'acme.yaml');
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
  it('accepts a manifest that omits any part', () => {
    expect(parseManifest('')).toEqual({ plans: [], ai: { models: [] }, companies: [] });
    expect(parseManifest(project('flags: []')).companies[0]?.projects[0]).toMatchObject({
      id: 'p',
      reports: [],
      cohorts: [],
      flags: [],
      dictionary: [],
      team: [],
    });
  });

  it('accepts a manifest in JSON', () => {
    expect(parseManifest('{"ai":{"markupPercent":20}}').ai).toEqual({ markupPercent: 20, models: [] });
  });

  it('refuses a manifest that is not YAML, and names the line', () => {
    expect(refusal('plans: [\n  - x')).toMatch(/^acme\.yaml:\d: not valid YAML: .*line \d/s);
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
  ])('refuses a manifest with %s, and names the place', (_, source, place) => {
    expect(refusal(source)).toContain(place);
  });

  it.each([
    [
      'a flag',
      project('flags: [&f { key: a, enabled: true, rolloutPercentage: 1 }, *f]'),
      'flag p a: defined more than once',
    ],
    [
      'a label',
      project('support: { labels: [&l { id: refund, name: Refund, color: red }, *l] }'),
      'support p labels refund: defined more than once',
    ],
    [
      'a plan',
      'plans: [&p { tier: t, cycle: c, trialDays: 0, priced: false, entitlements: {} }, *p]',
      'plan t c',
    ],
  ])('refuses a manifest with a duplicate %s', (_, source, place) => {
    expect(refusal(source)).toContain(place);
  });
});

describe('the errors of a manifest', () => {
  const clause = (value: string) =>
    `companies:
  - id: co
    name: Company
    plan: { tier: pro, cycle: monthly }
    projects:
      - id: p
        name: Project
        region: eu
        defaultLanguage: en
        flags:
          - key: a
            enabled: true
            rolloutPercentage: 100
            targeting:
              - attribute: x
                op: lt
                value: ${value}
`;
  const place = 'companies[0].projects[0].flags[0].targeting[0]';

  it.each([
    ['.inf', 'acme.yaml:17: .inf is not a JSON value; write a number, or a string in quotes'],
    ['-.INF', 'acme.yaml:17: -.INF is not a JSON value; write a number, or a string in quotes'],
    ['.nan', 'acme.yaml:17: .nan is not a JSON value; write a number, or a string in quotes'],
    ['[1, .NaN]', 'acme.yaml:17: .NaN is not a JSON value; write a number, or a string in quotes'],
    ['*nope', 'acme.yaml:17: *nope has no anchor before it; write &nope where the value is'],
    [
      '[9007199254740993]',
      `acme.yaml:17: ${place}.value[0]: an integer beyond 9007199254740991, which JSON does not keep exactly; send it as a string`,
    ],
    [
      '1\n                valeu: 2',
      `acme.yaml:18: ${place}: unknown property "valeu"; did you mean "value"?`,
    ],
  ])('the error names the file, the line and the fix for the value %s', (value, message) => {
    expect(refusal(clause(value))).toBe(message);
  });

  it('the error names every problem with its line', () => {
    const wrong = clause('1').replace('enabled: true', 'enabled: 1').replace('region: eu', 'region: EU');
    expect(refusal(wrong).split('\n')).toEqual([
      'acme.yaml:8: companies[0].projects[0].region: not a region; use a letter a-z followed by up to 15 of a-z and 0-9',
      'acme.yaml:12: companies[0].projects[0].flags[0].enabled: must be a boolean',
    ]);
  });

  it('the error reports weights that the management API also refuses', () => {
    const weights =
      'variations: [{ key: g, value: 1, weight: 600000 }, { key: h, value: 2, weight: 600000 }]';
    expect(refusal(clause('1').replace('targeting:', `${weights}\n            targeting:`))).toContain(
      'variations: the weights sum to more than 1000000',
    );
  });
});

describe('aliases in a manifest', () => {
  const aliased = (count: number, anchor = '&t [{ attribute: plan, op: eq, value: pro }]') =>
    project(
      `flags: [${Array.from(
        { length: count },
        (_, index) =>
          `{ key: f${index}, enabled: true, rolloutPercentage: 1, targeting: ${index === 0 ? anchor : '*t'} }`,
      ).join(', ')}]`,
    );

  it('accepts an alias of one value in thousands of places, also when the value contains aliases', () => {
    const nested = '&t [&c { attribute: plan, op: eq, value: pro }, *c]';
    for (const source of [aliased(3_000), aliased(1_000, nested)]) {
      const [found] = parseManifest(source).companies[0]?.projects[0]?.flags.slice(-1) ?? [];
      expect(found?.targeting?.[0]).toEqual({ attribute: 'plan', op: 'eq', value: 'pro' });
    }
  });

  it('refuses aliases that multiply without bound', () => {
    const levels = Array.from({ length: 12 }, (_, level) => {
      const inner = level === 0 ? '"lol"' : `*a${level - 1}`;
      return `a${level}: &a${level} [${Array(9).fill(inner).join(', ')}]`;
    });
    expect(refusal(levels.join('\n'))).toBe(
      'acme.yaml:1: aliases stand for more than 100000 nodes; write the values instead',
    );
  });
});

test('the example manifest is valid', async () => {
  const source = await readFile(new URL('../../examples/acme.yaml', import.meta.url), 'utf8');
  expect(parseManifest(source).companies[0]?.projects.map(({ id }) => id)).toEqual(['acme-shop', 'acme-app']);
});

interface Schema {
  items?: Schema;
  properties?: Record<string, Schema>;
}

test('docs/manage.md outlines a manifest with every property', () => {
  const outline = documented('docs/manage.md#manifest', 'yaml');
  // A comment in braces lists properties of its key.
  const comments = new Map(
    [...outline.matchAll(/(\w+): +# (\{.+\})$/gm)].map(([, key, text = '']) => [key, parse(text)]),
  );
  const check = (schema: Schema | undefined, part: unknown, key: string) => {
    const { properties } = schema?.items ?? schema ?? {};
    const listed = properties === undefined ? {} : comments.get(key);
    const shown = { ...listed, ...Object(Array.isArray(part) ? part[0] : part) };
    if (Object.keys(shown).length === 0) return;
    expect(Object.keys(shown).sort(), key).toEqual(Object.keys(properties ?? {}).sort());
    for (const [name, inner] of Object.entries(shown)) check(properties?.[name], inner, name);
  };
  check(z.toJSONSchema(manifest, { io: 'input' }) as Schema, parse(outline), 'manifest');
});
