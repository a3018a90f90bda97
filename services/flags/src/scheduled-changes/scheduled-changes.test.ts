import { type AuditEntry, auditEntry, type FlagVersion, type ScheduledChange } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Instance, type TestProject, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
let other: Instance;
let project: TestProject;
beforeAll(async () => {
  other = await harness.startInstance();
  project = await harness.createProject();
});

const off = { enabled: true, rolloutPercentage: 0 };
const soon = (ms = 1_500) => new Date(Date.now() + ms).toISOString();

async function ask(method: string, path: string, body?: unknown, at = project) {
  const response = await harness.manage(method, `/projects/${at.id}${path}`, body);
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
}

/** Returns the audit entries of a scheduled change once it is due. */
async function applied(id: string): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  await readTopic(harness.log, 'audit', {
    onRecord: ({ value }) => void found.push(auditEntry.parse(JSON.parse(String(value)))),
  });
  return found.filter(({ actor }) => actor.id === id);
}

const waiting = async (key: string): Promise<ScheduledChange[]> =>
  (await ask('GET', `/scheduled-changes?key=${key}`)).body.changes;
const versions = async (key: string): Promise<FlagVersion[]> =>
  (await ask('GET', `/flags/${key}/versions`)).body.versions;

/** Waits until one of the two instances has handled the changes of a flag. */
const settled = (key: string) =>
  eventually(async () => {
    const open = (await waiting(key)).filter(({ failure }) => failure === null);
    expect(open).toEqual([]);
  });

/** Returns the number of failures that both instances counted. */
async function failures(): Promise<number> {
  const counts = [harness, other].map(async ({ url }) => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return Number(/^switchboard_scheduled_changes_failed_total\{.*\} (\d+)$/m.exec(text)?.[1]);
  });
  return (await Promise.all(counts)).reduce((sum, count) => sum + count);
}

describe('a scheduled change', () => {
  it('makes a scheduled change once on one of several instances, as a version of its author with its reason', async () => {
    await harness.putFlag(project, { key: 'launch', ...off });
    const made = await ask('POST', '/scheduled-changes', {
      key: 'launch',
      at: soon(),
      patch: { rolloutPercentage: 100 },
      reason: 'Launch day',
      ifVersion: 1,
    });
    expect(made.status).toBe(201);
    expect(await waiting('launch')).toEqual([made.body]);
    expect(made.body).toMatchObject({ key: 'launch', author: 'operator', failure: null });
    expect((await ask('GET', '/flags/launch')).body.rolloutPercentage).toBe(0);
    await settled('launch');
    const [latest, ...before] = await versions('launch');
    expect(latest).toMatchObject({
      version: 2,
      author: 'operator',
      reason: 'Launch day',
      changes: [{ property: 'rolloutPercentage', before: 0, after: 100 }],
    });
    expect([before.length, await waiting('launch')]).toEqual([1, []]);
    expect(new Date(latest?.at ?? 0).getTime()).toBeGreaterThanOrEqual(new Date(made.body.at).getTime());
  });

  it('records a scheduled change in the audit trail once', async () => {
    await harness.putFlag(project, { key: 'audited', ...off });
    const { body } = await ask('POST', '/scheduled-changes', {
      key: 'audited',
      at: soon(300),
      patch: { rolloutPercentage: 9 },
      reason: 'Why',
    });
    await settled('audited');
    await eventually(async () => expect(await applied(body.id)).toHaveLength(1));
    expect((await applied(body.id))[0]).toMatchObject({
      actor: { kind: 'scheduler', id: body.id, tokenId: null },
      action: 'applyScheduledChange',
      object: 'flag:audited',
      outcome: 'allowed',
      projectId: project.id,
      before: { key: 'audited', ...off },
      after: { key: 'audited', enabled: true, rolloutPercentage: 9 },
      reason: 'Why',
      address: 'none',
    });
  });

  it('creates a flag, or replaces one as a whole, with a scheduled change', async () => {
    const flag = { enabled: true, rolloutPercentage: 100, description: 'From the schedule' };
    await ask('POST', '/scheduled-changes', { key: 'created', at: soon(500), flag });
    await settled('created');
    expect((await ask('GET', '/flags/created')).body).toEqual({ key: 'created', ...flag });
  });

  it('keeps a failed scheduled change with its reason when the flag has moved on', async () => {
    await harness.putFlag(project, { key: 'moved', ...off });
    const { body } = await ask('POST', '/scheduled-changes', {
      key: 'moved',
      at: soon(),
      patch: { rolloutPercentage: 100 },
      ifVersion: 1,
    });
    await harness.putFlag(project, { key: 'moved', enabled: true, rolloutPercentage: 5 });
    await settled('moved');
    const [failed] = await waiting('moved');
    expect(failed?.failure?.message).toBe(
      'ifVersion: the flag is at version 2. Read it again and repeat your change.',
    );
    expect((await ask('GET', '/flags/moved')).body.rolloutPercentage).toBe(5);
    expect((await ask('DELETE', `/scheduled-changes/${body.id}`)).status).toBe(204);
    expect(await waiting('moved')).toEqual([]);
  });

  it.each([
    ['there is no such flag', 'none', { enabled: false }, 'The flag to patch does not exist.'],
    [
      'the flag could not work so',
      'broken',
      { prerequisites: [{ flagKey: 'nowhere', variationKey: 'on' }] },
      'prerequisites[0].flagKey: there is no flag "nowhere"',
    ],
    [
      'its weights sum to 0',
      'broken',
      { variations: [{ key: 'a', value: true, weight: 0 }] },
      'variations: the weights sum to 0; at least one must be positive',
    ],
  ])('keeps a failed scheduled change with its reason when %s', async (_, key, patch, message) => {
    await harness.putFlag(project, { key: 'broken', ...off });
    const before = await failures();
    const { body } = await ask('POST', '/scheduled-changes', { key, at: soon(300), patch });
    await settled(key);
    const failed = (await waiting(key)).find(({ id }) => id === body.id);
    expect(failed?.failure?.message).toBe(message);
    expect(await failures()).toBe(before + 1);
    expect((await ask('GET', '/flags/broken')).body).toEqual({ key: 'broken', ...off });
  });

  it.each([
    ['patch', { variations: [{ key: 'h', value: true, weight: 1 }] }],
    ['flag', off],
  ])(
    'keeps a failed scheduled change when its %s removes a variation that another flag needs',
    async (part, change) => {
      const base = `base-${part}`;
      const variations = [{ key: 'g', value: true, weight: 1 }];
      await harness.putFlag(project, { key: base, ...off, variations });
      await harness.putFlag(project, {
        key: `top-${part}`,
        ...off,
        prerequisites: [{ flagKey: base, variationKey: 'g' }],
      });
      await ask('POST', '/scheduled-changes', { key: base, at: soon(300), [part]: change });
      await settled(base);
      const [failed] = await waiting(base);
      expect(failed?.failure?.message).toBe(
        `The flag is a prerequisite of "top-${part}" (variation "g"). Change or delete those flags first.`,
      );
      expect((await ask('GET', `/flags/${base}`)).body).toEqual({ key: base, ...off, variations });
    },
  );

  it('does not make a cancelled change, and does not cancel one of another project', async () => {
    const theirs = await harness.createProject();
    await harness.putFlag(project, { key: 'calm', ...off });
    const { body } = await ask('POST', '/scheduled-changes', {
      key: 'calm',
      at: soon(),
      patch: { enabled: false },
    });
    expect((await ask('DELETE', `/scheduled-changes/${body.id}`, undefined, theirs)).status).toBe(404);
    expect((await ask('GET', '/scheduled-changes', undefined, theirs)).body.changes).toEqual([]);
    expect((await ask('DELETE', `/scheduled-changes/${body.id}`)).status).toBe(204);
    expect((await ask('DELETE', `/scheduled-changes/${body.id}`)).status).toBe(404);
    // A later change of the same project: once it is applied, the first one would have been applied too.
    await ask('POST', '/scheduled-changes', { key: 'later', at: body.at, flag: off });
    await settled('later');
    expect((await versions('calm')).length).toBe(1);
  });

  it('fails a scheduled change when its flag is deleted, and does not create the flag again', async () => {
    await harness.putFlag(project, { key: 'deleted', ...off });
    await ask('POST', '/scheduled-changes', { key: 'deleted', at: soon(3_600_000), flag: off });
    await ask('DELETE', '/flags/deleted');
    const [failed] = await waiting('deleted');
    expect(failed?.failure?.message).toBe('The flag was deleted.');
  });

  it('fails a scheduled change when its author may no longer change flags, or its project is gone', async () => {
    const theirs = await harness.createProject();
    const { id, key } = theirs;
    const { companyId } = await harness.directory.putProject({ id, key });
    await harness.directory.put('member', testMember(companyId, 'ada', { role: 'editor' }));
    const bearer = await harness.mint({ sub: 'ada' });
    const url = `${harness.url}/management/v1/projects/${theirs.id}/scheduled-changes`;
    const schedule = async (key: string, ms: number) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { Authorization: `Bearer ${bearer}` },
        body: JSON.stringify({ key, at: soon(ms), flag: off }),
      });
      expect(response.status).toBe(201);
      return (await response.json()) as ScheduledChange;
    };
    await eventually(() => schedule('first', 200));
    await eventually(async () => {
      expect((await ask('GET', '/flags/first/versions', undefined, theirs)).body.versions).toMatchObject([
        { author: 'ada' },
      ]);
    });
    const second = await schedule('second', 2_000);
    const third = await schedule('third', 4_000);
    await harness.directory.put('member', testMember(companyId, 'ada', { role: 'viewer' }));
    const failureOf = async (id: string) => {
      const [found] = await harness.sql`select failure from scheduled_changes where id = ${id}`;
      return found?.['failure'];
    };
    await eventually(async () => expect(await failureOf(second.id)).toMatch(/flags\.write/));
    await eventually(async () =>
      expect(await applied(second.id)).toMatchObject([{ outcome: 'refused', status: 403 }]),
    );
    await harness.directory.remove('project', theirs.id);
    await eventually(async () => expect(await failureOf(third.id)).toBe('The project was deleted.'));
    const flags = await harness.sql`select key from flags where project_id = ${theirs.id}`;
    expect(flags.map(({ key }) => key)).toEqual(['first']);
  });

  it('fails a scheduled change when its author is removed, and not again when the author comes back', async () => {
    const theirs = await harness.createProject();
    const { companyId } = await harness.directory.putProject({ id: theirs.id, key: theirs.key });
    const elsewhere = await harness.createProject();
    const ada = testMember(companyId, 'ada', { role: 'editor', generation: 'one' });
    await harness.directory.put('member', ada);
    const add = (id: string, projectId: string, more: object = {}) =>
      harness.sql`insert into scheduled_changes ${harness.sql({
        id,
        project_id: projectId,
        key: 'x',
        at: new Date(Date.now() + 3_600_000),
        definition: JSON.stringify(off),
        author: 'ada',
        everywhere: false,
        ...more,
      })}`;
    await add('sch_own', theirs.id);
    await add('sch_elsewhere', elsewhere.id);
    await add('sch_token', theirs.id, { token_id: 'tok_1' });
    await add('sch_operator', theirs.id, { everywhere: true });
    await harness.directory.remove('member', companyId, 'ada');
    await harness.directory.put('member', { ...ada, generation: 'two' });
    const failed = async () =>
      (
        await harness.sql`select id, failure from scheduled_changes where author = 'ada' and failed_at is not null`
      ).map((row) => ({ ...row }));
    await eventually(async () =>
      expect(await failed()).toContainEqual({
        id: 'sch_own',
        failure: 'The author of the change was removed from the company.',
      }),
    );
    const ids = (await failed()).map(({ id }) => id);
    for (const id of ['sch_elsewhere', 'sch_token', 'sch_operator']) expect(ids).not.toContain(id);
  });

  it('makes a scheduled change after its instance was replaced', async () => {
    const databaseUrl = harness.databaseUrl;
    await other.stop();
    const { body } = await ask('POST', '/scheduled-changes', { key: 'night', at: soon(), flag: off });
    const late = await harness.startInstance({ DATABASE_URL: databaseUrl });
    await settled('night');
    expect((await versions('night')).map(({ reason }) => reason)).toEqual([null]);
    expect(body.id).toMatch(/^sch_/);
    await late.stop();
  });
});

describe('the scheduling of a change', () => {
  it.each([
    ['a time that has passed', { at: '2020-01-01T00:00:00Z', patch: { enabled: false } }, /^at: in the past/],
    [
      'a time in ten years',
      { at: '2036-01-01T00:00:00Z', patch: { enabled: false } },
      /^at: more than a year/,
    ],
    ['a flag and a patch', { flag: off, patch: off }, /^patch: send either/],
    ['neither', {}, /^patch: send either/],
    ['an empty patch', { patch: {} }, /^patch: empty/],
    ['a flag that cannot be', { flag: { ...off, rolloutPercentage: 101 } }, /^flag\.rolloutPercentage: /],
  ])('refuses to schedule %s', async (_, change, message) => {
    const answer = await ask('POST', '/scheduled-changes', { key: 'x', at: soon(60_000), ...change });
    expect([answer.status, answer.body.error.message]).toEqual([400, expect.stringMatching(message)]);
  });

  it('refuses the 101st scheduled change of a project, and lists the others page by page', async () => {
    const full = await harness.createProject();
    const one = { key: 'many', at: soon(3_600_000), patch: { enabled: false } };
    const answers = await Promise.all(
      Array.from({ length: 101 }, () => ask('POST', '/scheduled-changes', one, full)),
    );
    expect(answers.filter(({ status }) => status === 201).length).toBe(100);
    expect(answers.find(({ status }) => status !== 201)?.status).toBe(409);
    const first = (await ask('GET', '/scheduled-changes?limit=40', undefined, full)).body;
    const rest = (await ask('GET', `/scheduled-changes?cursor=${first.nextCursor}`, undefined, full)).body;
    const third = (await ask('GET', `/scheduled-changes?cursor=${rest.nextCursor}`, undefined, full)).body;
    const ids = [...first.changes, ...rest.changes, ...third.changes].map(({ id }: ScheduledChange) => id);
    expect([new Set(ids).size, third.nextCursor]).toEqual([100, null]);
  });
});
