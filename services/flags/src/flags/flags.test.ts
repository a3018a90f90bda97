import type { FlagEntry } from '@switchboard/contracts';
import { describe, expect, it } from 'vitest';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();

const on = { enabled: true, rolloutPercentage: 100 };
const needs = (flagKey: string, variationKey = 'on') => ({
  ...on,
  prerequisites: [{ flagKey, variationKey }],
});

describe('flags of a project', () => {
  it('creates, replaces, reads and deletes flags', async () => {
    const project = await harness.createProject();
    const path = `/projects/${project.id}/flags/new%20checkout`;
    const definition = { ...on, type: 'string', variations: [{ key: 'a', value: 'A', weight: 3 }] };
    const created = await harness.manage('PUT', path, definition);
    expect(created.status).toBe(200);
    expect(await json(created)).toEqual({ key: 'new checkout', ...definition });
    await harness.manage('PUT', path, on);
    expect(await json(await harness.manage('GET', path))).toEqual({ key: 'new checkout', ...on });
    await harness.putFlag(project, { key: 'another', ...on });
    const { flags } = await json(await harness.manage('GET', `/projects/${project.id}/flags`));
    expect((flags as FlagEntry[]).map(({ key }) => key)).toEqual(['another', 'new checkout']);
    expect((await harness.manage('DELETE', path)).status).toBe(204);
    expect((await harness.manage('DELETE', path)).status).toBe(204);
    const gone = await harness.manage('GET', path);
    expect(gone.status).toBe(404);
    expect(await json(gone)).toMatchObject({ error: { code: 'NOT_FOUND' } });
  });

  it('lists the latest change of each flag with its author', async () => {
    const project = await harness.createProject();
    const path = `/projects/${project.id}/flags`;
    await harness.manage('PUT', `${path}/first`, on);
    await harness.manage('PUT', `${path}/first`, { ...on, rolloutPercentage: 20 });
    await harness.manage('PUT', `${path}/second`, on);
    await harness.sql`
      insert into flags (project_id, key, entry)
      values (${project.id}, 'third', '{"key":"third","enabled":true,"rolloutPercentage":100}')`;
    const { flags, lastChanges } = await json(await harness.manage('GET', path));
    expect(flags).toHaveLength(3);
    const author = expect.any(String);
    expect(lastChanges).toEqual([
      { key: 'first', version: 2, author, at: expect.any(String) },
      { key: 'second', version: 1, author, at: expect.any(String) },
    ]);
  });

  it('rejects the 5,001st flag, and replaces one of 5,000', async () => {
    const project = await harness.createProject();
    await harness.sql`
      insert into flags (project_id, key, entry)
      select ${project.id}, 'f' || n, json_build_object('key', 'f' || n, 'enabled', true, 'rolloutPercentage', 100)
      from generate_series(1, 5000) as n`;
    const more = await harness.manage('PUT', `/projects/${project.id}/flags/more`, on);
    expect(more.status).toBe(400);
    expect(await json(more)).toMatchObject({
      error: { message: 'A project has at most 5,000 flags. Delete some first.' },
    });
    expect((await harness.manage('PUT', `/projects/${project.id}/flags/f7`, on)).status).toBe(200);
  });

  it.each<[string, unknown, string]>([
    ['an unknown prerequisite', needs('nowhere'), 'prerequisites[0].flagKey: there is no flag "nowhere"'],
    ['itself', needs('checked'), 'prerequisites[0].flagKey: creates a cycle: checked -> checked'],
    ['what a flag never serves', needs('base', 'blue'), 'prerequisites[0].variationKey: flag "base" never'],
    ['a percentage over 100', { ...on, rolloutPercentage: 101 }, 'rolloutPercentage: '],
    ['half a percentage', { ...on, rolloutPercentage: 0.5 }, 'rolloutPercentage: '],
    [
      'a negative weight',
      { ...on, variations: [{ key: 'a', value: 1, weight: -1 }] },
      'variations[0].weight',
    ],
    [
      'weights that a hash cannot divide evenly',
      {
        ...on,
        variations: [
          { key: 'a', value: 1, weight: 500_001 },
          { key: 'b', value: 1, weight: 500_000 },
        ],
      },
      'variations: the weights sum to more than 1000000',
    ],
    [
      'an integer that JSON rounds in a clause',
      '{"enabled":true,"rolloutPercentage":100,"targeting":[{"attribute":"account","op":"in","value":[1,1152921504606846977]}]}',
      'targeting[0].value[1]: an integer beyond 9007199254740991',
    ],
    [
      'an integer that JSON rounds as a value',
      '{"enabled":true,"rolloutPercentage":100,"type":"json","variations":[{"key":"a","value":{"id":-9007199254740993},"weight":1}]}',
      'variations[0].value.id: an integer beyond 9007199254740991',
    ],
    [
      'an unknown property',
      { ...on, targetting: [] },
      'body: unknown property "targetting"; did you mean "targeting"?',
    ],
    [
      'an unknown property of a clause',
      { ...on, targeting: [{ attribute: 'a', op: 'eq', valeu: 1 }] },
      'targeting[0]: unknown property "valeu"; did you mean "value"?',
    ],
    ['weights of 0', { ...on, variations: [{ key: 'a', value: 1, weight: 0 }] }, 'variations: the weights'],
    [
      'a value of another type',
      { ...on, type: 'number', variations: [{ key: 'a', value: '1', weight: 1 }] },
      'variations[0].value: not a number',
    ],
    [
      'a rule for an unknown variation',
      { ...on, rules: [{ targeting: [], variation: 'b' }] },
      'rules[0].variation: there is no variation "b"',
    ],
    [
      'two rules of one name',
      {
        ...on,
        rules: [
          { name: 'x', targeting: [] },
          { name: 'x', targeting: [] },
        ],
      },
      'rules[1].name: duplicate name "x"',
    ],
    ['a rule without targeting', { ...on, rules: [{}] }, 'rules[0].targeting: '],
    [
      'more than 50 rules',
      { ...on, rules: Array.from({ length: 51 }, () => ({ targeting: [] })) },
      'rules: ',
    ],
    ['an unknown operator', { ...on, targeting: [{ attribute: 'a', op: 'like' }] }, 'targeting[0].op: '],
    ['no body', '', 'body: '],
  ])('rejects a flag with %s', async (_, definition, message) => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'base', ...on });
    const response = await harness.manage('PUT', `/projects/${project.id}/flags/checked`, definition);
    expect(response.status).toBe(400);
    const { error } = await json(response);
    expect(error).toMatchObject({ code: 'BAD_REQUEST', message: expect.stringContaining(message) });
  });

  it('prevents cycles of flags through concurrent writes', async () => {
    const project = await harness.createProject();
    const other = await harness.startInstance();
    const keys = ['a', 'b', 'c', 'd'];
    for (const key of keys) await harness.putFlag(project, { key, ...on });
    // Each flag gets the next one as its prerequisite. Together they form a cycle, so one write must fail.
    const answers = await Promise.all(
      keys.map((key, index) => {
        const next = keys[(index + 1) % keys.length] ?? '';
        const url = index % 2 === 0 ? harness.url : other.url;
        return harness.manage('PUT', `/projects/${project.id}/flags/${key}`, needs(next), url);
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 400]);
  });

  it('refuses to delete a flag that another one needs, and names it in the error', async () => {
    const project = await harness.createProject();
    await harness.putFlag(project, { key: 'base', ...on });
    await harness.putFlag(project, { key: 'top', ...needs('base') });
    const refused = await harness.manage('DELETE', `/projects/${project.id}/flags/base`);
    expect(refused.status).toBe(409);
    expect(await json(refused)).toMatchObject({
      error: {
        code: 'CONFLICT',
        message: 'The flag is a prerequisite of "top". Change or delete those flags first.',
      },
    });
    await harness.manage('DELETE', `/projects/${project.id}/flags/top`);
    expect((await harness.manage('DELETE', `/projects/${project.id}/flags/base`)).status).toBe(204);
  });

  it('refuses to remove a variation that another flag needs, and names both in the error', async () => {
    const project = await harness.createProject();
    const path = `/projects/${project.id}/flags/base`;
    const put = (definition: object) => harness.manage('PUT', path, definition);
    const serving = (...keys: string[]) => ({
      ...on,
      variations: keys.map((key) => ({ key, value: key, weight: 1 })),
    });
    await put(serving('h'));
    await put(serving('g', 'h'));
    await harness.putFlag(project, { key: 'top', ...needs('base', 'g') });
    const refused = [
      await put(serving('h')),
      await put(on),
      await put({ ...on, type: 'boolean' }),
      await put({ ...serving('h'), type: 'string' }),
      await harness.manage('POST', `${path}/restore`, { version: 1 }),
    ];
    for (const response of refused) {
      expect(response.status).toBe(409);
      expect(await json(response)).toMatchObject({
        error: {
          code: 'CONFLICT',
          message: 'The flag is a prerequisite of "top" (variation "g"). Change or delete those flags first.',
        },
      });
    }
    expect((await put(serving('h', 'g', 'i'))).status).toBe(200);
    await harness.putFlag(project, { key: 'top', ...needs('base', 'h') });
    expect((await put(serving('h'))).status).toBe(200);
  });

  it('refuses to add variations to a flag without any while another flag needs it on', async () => {
    const project = await harness.createProject();
    const path = `/projects/${project.id}/flags/base`;
    await harness.manage('PUT', path, on);
    await harness.putFlag(project, { key: 'top', ...needs('base') });
    await harness.putFlag(project, { key: 'other', ...needs('base', 'off') });
    const variations = [{ key: 'a', value: true, weight: 1 }];
    expect((await harness.manage('PUT', path, { ...on, variations })).status).toBe(409);
    expect((await harness.manage('PUT', path, { ...on, enabled: false })).status).toBe(200);
  });

  it('stores a flag with a warning when a clause is probably a mistake', async () => {
    const project = await harness.createProject();
    const warningsOf = async (value: unknown, op = 'gte') => {
      const targeting = [
        { attribute: 'plan', op: 'is_set' },
        { attribute: 'x', op, value },
      ];
      const at = new Date(Date.now() + 3_600_000).toISOString();
      const id = `/projects/${project.id}`;
      const answers = [
        await harness.manage('PUT', `${id}/flags/f`, { ...on, targeting }),
        await harness.manage('PUT', `${id}/cohorts/c`, { name: 'C', match: targeting }),
        await harness.manage('POST', `${id}/scheduled-changes`, { key: 'f', at, patch: { targeting } }),
        await harness.manage('PUT', `${id}/flags/f`, { ...on, rules: [{ targeting }] }),
      ];
      return Promise.all(answers.map(async (answer) => (await json(answer))['warnings']));
    };
    const at = (warning: string) =>
      ['targeting[1]', 'match[1]', 'patch.targeting[1]', 'rules[0].targeting[1]'].map((place) => [
        `${place}.value: ${warning}`,
      ]);
    expect(await warningsOf('1.10')).toEqual(
      at('compared as a number, so 1.10 is less than 1.9; write 1.10.0 to compare versions'),
    );
    for (const value of ['2026-03-01T01:00:00', '1.2.3.4', 'monday', true, [1]]) {
      expect(await warningsOf(value)).toEqual(
        at(
          'not a number, a version with three parts or an ISO 8601 time with an offset, so the clause never matches',
        ),
      );
    }
    for (const value of [1.1, '7', '1.10.0', '2026-03-01', '2026-03-01T01:00:00+0200']) {
      expect(await warningsOf(value)).toEqual([undefined, undefined, undefined, undefined]);
    }
    expect(await warningsOf('1.10', 'eq')).toEqual([undefined, undefined, undefined, undefined]);
  });
});
