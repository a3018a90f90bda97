import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { compileRuleset, evaluateFlag } from './index.ts';
import {
  mapCase,
  readSpecification,
  type UnleashCase,
  type UnleashState,
  Unmapped,
} from './testing/unleash.ts';
import unmapped from './testing/unleash-unmapped.json' with { type: 'json' };

const specification = readSpecification();
const listed = new Map(
  Object.entries(unmapped).flatMap(([reason, files]) =>
    Object.entries(files).flatMap(([file, descriptions]) =>
      descriptions.map((description: string) => [`${file}: ${description}`, reason] as const),
    ),
  ),
);

function answer(state: UnleashState, specified: UnleashCase) {
  const { flags, key, user } = mapCase(state, specified);
  const decision = evaluateFlag(compileRuleset(flags), key, user);
  const on = decision?.reason === 'MATCH';
  if (typeof specified.expectedResult === 'boolean') return on;
  const served = decision?.variant ?? null;
  const variant = served === null ? { name: 'disabled' } : { name: served, payload: decision?.value };
  return { ...variant, enabled: served !== null, feature_enabled: on };
}

for (const { file, state, cases } of specification) {
  describe(`the Unleash client specification ${file}`, () => {
    for (const specified of cases) {
      const reason = listed.get(`${file}: ${specified.description}`);
      if (reason === undefined) {
        test(specified.description, () => {
          expect(answer(state, specified)).toEqual(specified.expectedResult);
        });
      } else {
        test(`${specified.description} (no equivalent: ${reason})`, () => {
          expect(() => mapCase(state, specified)).toThrow(new Unmapped(reason));
        });
      }
    }
  });
}

test('the list of cases without an equivalent names only existing cases, each once', () => {
  const existing = specification.flatMap(({ file, cases }) =>
    cases.map(({ description }) => `${file}: ${description}`),
  );
  expect(existing.length).toBeGreaterThan(200);
  expect(new Set(existing).size).toBe(existing.length);
  for (const name of listed.keys()) expect(existing).toContain(name);
});

test('the README counts the cases without an equivalent by reason', () => {
  const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8').replace(/ +/g, ' ');
  for (const [reason, files] of Object.entries(unmapped)) {
    expect(readme).toContain(`| ${reason} | ${Object.values(files).flat().length} |`);
  }
  const total = specification.flatMap(({ cases }) => cases).length;
  expect(readme).toContain(`Of its ${total} cases ${total - listed.size} `);
});
