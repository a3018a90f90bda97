import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runInProcess } from '@switchboard/cli/testing';
import { createClient } from '@switchboard/management';
import { describe, expect, test } from 'vitest';
import { standaloneForTests } from './testing/launch.ts';

const EXAMPLES = join(import.meta.dirname, '../../packages/tools/cli/examples');
const SEGMENTS = join(EXAMPLES, 'unleash-segments.json');

const running = standaloneForTests();

const importFlags = (...args: string[]) =>
  runInProcess(['import', 'flags', '--project', running.demo.project_id, ...args], {
    SWITCHBOARD_URL: running.demo.management_url,
    SWITCHBOARD_TOKEN: running.demo.tokens.operator,
  });
const report = async (...args: string[]) => JSON.parse((await importFlags(...args, '--json')).out);

const management = () =>
  createClient({ url: running.demo.management_url, token: running.demo.tokens.operator });

/** Returns the flags of a person with these traits: the variation of each, or whether it is on. */
async function flagsOf(targetingKey: string, traits: object): Promise<Map<string, string>> {
  const { base_url, project_key } = running.demo;
  const answer = await fetch(`${base_url}/ofrep/v1/evaluate/flags`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${project_key}` },
    body: JSON.stringify({ context: { targetingKey, ...traits } }),
  });
  const { flags } = Object(await answer.json());
  return new Map(flags.map(({ key, variant }: { key: string; variant: string }) => [key, variant] as const));
}

describe('switchboard import flags unleash', () => {
  const unleash = ['unleash', join(EXAMPLES, 'unleash.json'), '--segments', SEGMENTS];

  test('imports an export once, and finds nothing to change from then on', async () => {
    const rehearsed = await importFlags(...unleash, '--dry-run');
    expect([rehearsed.code, rehearsed.err]).toEqual([0, '']);
    expect(rehearsed.out).toMatch(/\n27 would be created, 0 would be changed, 0 unchanged\n/);
    expect((await report(...unleash, '--dry-run')).created).toBe(27);

    const { code, out, err } = await importFlags(...unleash);
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('- flag pattern: left out: REGEX\n');
    expect(out).toContain('warning: flag other-group: its percentages now include other people\n');
    expect(out).toContain(`+ flag ${running.demo.project_id} third\n`);
    expect(out).toMatch(/\n27 created, 0 changed, 0 unchanged\n0 in conflict, 9 left out\n$/);

    expect(await report(...unleash)).toMatchObject({
      created: 0,
      changed: 0,
      requested: 0,
      unchanged: 27,
      changes: [],
      conflicts: [],
    });
    const params = { projectId: running.demo.project_id, key: 'third' };
    expect((await management().call('listFlagVersions', { params })).versions).toHaveLength(1);
  });

  test('people get the flags that they had', async () => {
    const flags = await flagsOf('person-3', { plan: 'pro', age: '70', version: '1.3.0' });
    expect(Object.fromEntries(flags)).toMatchObject({
      checkout: 'on',
      'switched-off': 'off',
      staff: 'off',
      plan: 'on',
      age: 'off',
      'not-old': 'off',
      'exact-version': 'on',
      layout: 'grid',
      'listed-segment': 'off',
    });
    const others = await flagsOf('person-2', { plan: 'free' });
    expect(Object.fromEntries(others)).toMatchObject({
      staff: 'on',
      'not-old': 'on',
      'listed-segment': 'on',
    });
  });

  test('replaces a flag that differs only with --overwrite, and waits for approvals', async () => {
    const { project_id: projectId } = running.demo;
    const params = { projectId, key: 'colour' };
    const change = async () => {
      const { key: _, ...flag } = await management().call('getFlag', { params });
      await management().call('putFlag', { params, body: { ...flag, rolloutPercentage: 1 } });
    };
    await change();
    const kept = await importFlags(...unleash);
    expect(kept.out).toContain('! flag colour: exists and differs; --overwrite replaces it\n');
    expect(kept.out).toMatch(/\n0 created, 0 changed, 26 unchanged\n1 in conflict, 9 left out\n$/);
    const replaced = await importFlags(...unleash, '--overwrite');
    expect(replaced.out).toContain(`~ flag ${projectId} colour\n    rolloutPercentage: 1 -> 80\n`);

    await change();
    const { id: _, ...project } = await management().call('getProject', { params });
    await management().call('putProject', { params, body: { ...project, flagApprovals: 1 } });
    for (let run = 0; run < 2; run++)
      expect(await report(...unleash, '--overwrite')).toMatchObject({
        requested: 1,
        changed: 0,
        conflicts: [],
      });
    const { requests } = await management().call('listChangeRequests', { params: { projectId } });
    expect(requests.map(({ key }) => key)).toEqual(['colour']);
    await management().call('putProject', { params, body: { ...project, flagApprovals: 0 } });
  });

  test('does not import a flag that needs one in conflict', async () => {
    const exported = JSON.parse(await readFile(join(EXAMPLES, 'unleash.json'), 'utf8'));
    const renamed = JSON.stringify(exported).replaceAll('needs-red', 'new-needs-red');
    const path = join(running.home, 'renamed.json');
    await writeFile(path, renamed);
    expect((await report('unleash', path, '--segments', SEGMENTS)).conflicts).toEqual([
      { kind: 'flag', id: 'colour', reason: 'exists and differs; --overwrite replaces it' },
      { kind: 'flag', id: 'new-needs-red', reason: 'needs flag colour, which is not imported' },
    ]);
  });

  test('names a project that does not exist', async () => {
    const { code, err } = await importFlags(...unleash, '--project', 'none', '--dry-run');
    expect([code, err]).toEqual([1, expect.stringContaining('Project not found')]);
  });
});

test.each([
  [
    'launchdarkly',
    {
      items: [
        {
          key: 'from-launchdarkly',
          variations: [{ value: 'a' }, { value: 'b' }],
          environments: {
            production: {
              on: true,
              targets: [{ values: ['ada'], variation: 1 }],
              rules: [],
              fallthrough: { variation: 0 },
              offVariation: 0,
            },
          },
        },
      ],
    },
    { ada: 'b', bob: 'a' },
  ],
  [
    'growthbook',
    {
      features: {
        'from-growthbook': {
          defaultValue: 'a',
          rules: [{ condition: { id: { $inGroup: 'staff' } }, force: 'b' }],
        },
      },
      savedGroups: { staff: ['ada'] },
    },
    { ada: 'b', bob: 'a' },
  ],
  [
    'flagsmith',
    {
      feature_states: [{ feature: { name: 'from-flagsmith' }, enabled: true, feature_state_value: 'a' }],
      project: { segments: [] },
      identity_overrides: [
        {
          identifier: 'ada',
          identity_features: [
            { feature: { name: 'from-flagsmith' }, enabled: true, feature_state_value: 'b' },
          ],
        },
      ],
    },
    { ada: 'b', bob: 'a' },
  ],
])('switchboard import flags %s imports a file once', async (product, file, expected) => {
  const path = join(running.home, `${product}.json`);
  await writeFile(path, JSON.stringify(file));
  expect((await report(product, path)).leftOut).toEqual([]);
  expect(await report(product, path)).toMatchObject({ created: 0, changed: 0, changes: [] });
  for (const [id, variant] of Object.entries(expected))
    expect((await flagsOf(id, {})).get(`from-${product}`)).toBe(variant);
});
