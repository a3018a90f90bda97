import type { CohortDefinition, FlagEntry } from '@switchboard/contracts';
import { compileCohorts, compileRuleset, evaluateAll, memberships } from '@switchboard/flag-engine';
import { createClient } from '@switchboard/node';
import { eventually } from '@switchboard/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

const attribute = fc.constantFrom('plan', 'age', 'tags', 'version', 'distinct_id', 'group.company.plan');
const scalar = fc.oneof(
  fc.constantFrom('pro', 'free', '10', '9', '1.2.0', '1.10.0', '2026-01-01', 'a', true, false, null),
  fc.integer({ min: 8, max: 11 }),
);
const value = fc.oneof(scalar, fc.array(scalar, { maxLength: 3 }));
const attributeOp = fc.constantFrom(
  ...(['eq', 'neq', 'in', 'not_in', 'contains', 'gt', 'gte', 'lt', 'lte', 'is_set', 'is_not_set'] as const),
);
const attributeClause = fc.record({ attribute, op: attributeOp, value });
const cohortClause = fc.record({
  attribute: fc.constant(''),
  op: fc.constantFrom('in_cohort' as const, 'not_in_cohort' as const),
  value: fc.constantFrom('c0', 'c1', 'nowhere'),
});
const targeting = fc.array(fc.oneof(attributeClause, cohortClause), { maxLength: 2 });
const variations = fc
  .array(fc.record({ value, weight: fc.nat(3) }), { maxLength: 3 })
  .map((all) => all.map((variation, index) => ({ key: `v${index}`, ...variation })))
  .filter((all) => all.length === 0 || all.some(({ weight }) => weight > 0));
const rules = fc.array(
  fc.record(
    { targeting, rolloutPercentage: fc.constantFrom(0, 50, 100), variation: fc.nat(2) },
    { requiredKeys: ['targeting'] },
  ),
  { maxLength: 2 },
);
const flag = fc.record(
  {
    enabled: fc.oneof({ arbitrary: fc.constant(true), weight: 4 }, fc.constant(false)),
    rolloutPercentage: fc.constantFrom(0, 20, 50, 80, 100, 100),
    type: fc.constantFrom('json' as const, undefined),
    rules,
    targeting,
    variations,
    needs: fc.option(fc.nat(5), { nil: undefined }),
  },
  { requiredKeys: ['enabled', 'rolloutPercentage'] },
);

/** Flags that may have an earlier flag as a prerequisite. */
const flags = fc.array(flag, { minLength: 1, maxLength: 8 }).map((all): FlagEntry[] =>
  all.map(({ needs, type, rules = [], ...definition }, index) => {
    const needed = needs === undefined ? undefined : all[needs];
    const isEarlier = needs !== undefined && needs < index && needed !== undefined;
    const variationKey = needed?.variations?.[0]?.key ?? 'on';
    const prerequisites = isEarlier ? [{ flagKey: `f${needs}`, variationKey }] : [];
    const keys = (definition.variations ?? []).map(({ key }) => key);
    const known = rules.map(({ variation, ...rule }) => {
      const key = keys[variation ?? keys.length];
      return key === undefined ? rule : { ...rule, variation: key };
    });
    return {
      key: `f${index}`,
      rules: known,
      ...definition,
      ...(type === undefined ? {} : { type }),
      prerequisites,
    };
  }),
);

const cohort = fc.record(
  {
    name: fc.constant('cohort'),
    match: fc.array(attributeClause, { maxLength: 2 }),
    distinctIds: fc.subarray(['p0', 'p1', 'p2']),
  },
  { requiredKeys: ['name'] },
);
const traits = fc.record({ plan: value, age: value, tags: value, version: value }, { requiredKeys: [] });
const person = fc.record({ traits, company: fc.option(fc.record({ plan: scalar }), { nil: undefined }) });

const scene = fc.record({
  flags,
  cohorts: fc.array(cohort, { minLength: 2, maxLength: 2 }),
  people: fc.array(person, { minLength: 3, maxLength: 3 }),
});

interface Scene {
  flags: FlagEntry[];
  cohorts: CohortDefinition[];
  people: { traits: Traits; company: Traits | undefined }[];
}

type Traits = Record<string, unknown>;

/** Creates a project with the scene and waits until the state of every person is applied. */
async function play({ flags, cohorts, people }: Scene): Promise<TestProject> {
  const project = await harness.createProject();
  for (const entry of flags) await harness.putFlag(project, entry);
  for (const [index, definition] of cohorts.entries())
    await harness.putCohort(project, `c${index}`, definition);
  for (const [index, { traits, company }] of people.entries()) {
    const group = company ? { id: `g${index}`, traits: company } : { id: null };
    await harness.identify(project, `p${index}`, { ...traits, settled: true });
    await harness.group(project, `p${index}`, group);
  }
  await eventually(async () => {
    const [row] = await harness.sql<{ count: number }[]>`
      select count(*)::int from people where project_id = ${project.id}
        and traits::jsonb ? 'settled' and group_stamps::jsonb ? 'company'`;
    expect(row?.count).toBe(people.length);
  });
  return project;
}

describe('local evaluation of the snapshot', () => {
  it('evaluates flags locally, with the engine and with the Node SDK, as the server does', async () => {
    const ask = async (project: TestProject, path: string) => json(await harness.get(path, project.key));
    await fc.assert(
      fc.asyncProperty(scene, async (played) => {
        const project = await play(played);
        const { flags } = await ask(project, '/v1/flags/snapshot');
        const ruleset = compileRuleset(flags as FlagEntry[]);
        const sdk = createClient({ key: project.key, host: harness.url, folder: false });
        expect(await sdk.flags.ready()).toBe(true);
        for (const [index, { traits, company }] of played.people.entries()) {
          const distinctId = `p${index}`;
          const person = { distinctId, traits: withoutNulls(traits), groups: company ? { company } : {} };
          const { cohorts } = await ask(project, `/v1/flags/memberships?distinct_id=${distinctId}`);
          expect(cohorts).toEqual(memberships(compileCohorts(withIds(played.cohorts)), person));
          const local = evaluateAll(ruleset, { ...person, cohorts: new Set(cohorts as string[]) });
          const answer = await ask(project, `/v1/flags?distinct_id=${distinctId}&reasons=true`);
          expect(answer).toEqual(JSON.parse(JSON.stringify(local)));
          expect(sdk.flags.all(await sdk.flags.withCohorts(person))).toEqual(answer['flags']);
        }
        await sdk.close(0);
      }),
      { numRuns: 40 },
    );
  });
});

describe('a rollout', () => {
  it('keeps everyone in a rollout when its percentage grows, and includes about that percentage', async () => {
    const project = await harness.createProject();
    const people = Array.from({ length: 200 }, (_, index) => `person ${index}`);
    let before = new Set<string>();
    for (const rolloutPercentage of [0, 10, 35, 60, 100]) {
      await harness.putFlag(project, { key: 'gradual', enabled: true, rolloutPercentage });
      const answers = await Promise.all(
        people.map(async (id) => {
          const path = `/v1/flags?distinct_id=${encodeURIComponent(id)}`;
          const { flags } = await json(await harness.get(path, project.key));
          return (flags as Record<string, boolean>)['gradual'] ? [id] : [];
        }),
      );
      const now = new Set(answers.flat());
      expect([...before].filter((id) => !now.has(id))).toEqual([]);
      expect(Math.abs(now.size / 2 - rolloutPercentage)).toBeLessThan(12);
      before = now;
    }
    expect(before.size).toBe(people.length);
  });
});

function withoutNulls(traits: Traits): Traits {
  return Object.fromEntries(Object.entries(traits).filter(([, value]) => value !== null));
}

function withIds(cohorts: readonly CohortDefinition[]) {
  return cohorts.map(({ did: _, ...definition }, index) => ({ ...definition, id: `c${index}` }));
}
