import { randomBytes } from 'node:crypto';
import type { ChangeRequest, FlagEntry } from '@switchboard/contracts';
import { hashToken, newApiToken } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { json, useFlags } from '../testing/harness.ts';

const harness = await useFlags();
const on = { enabled: true, rolloutPercentage: 100 };
const half = { enabled: true, rolloutPercentage: 50 };

let companies = 0;

/** Creates a project of a company with the editors ada, bob, cleo and dan. Its flag f is at version 1. */
async function projectWith(flagApprovals: number) {
  const companyId = `approving-${++companies}`;
  const members = ['ada', 'bob', 'cleo', 'dan'];
  const options = {
    id: `approvals-${companies}`,
    companyId,
    name: 'Live',
    region: 'eu',
    defaultLanguage: 'en',
  };
  const { key } = await harness.directory.putProject({ ...options, members });
  const project = { id: options.id, key };
  await eventually(async () =>
    expect((await harness.manage('GET', `/projects/${project.id}/flags`)).status).toBe(200),
  );
  await harness.putFlag(project, { key: 'f', ...half });
  const { send } = as(project.id);
  /** Sets the number of approvals, and waits until the service knows it. */
  async function setApprovals(n: number): Promise<void> {
    const probe = await opened(send('dan', 'POST', '', { key: 'probe', flag: on }));
    // Requests need the same number with 0 and 1. Another number before shows that the service knows the last one.
    for (const flagApprovals of [n + 2, n]) {
      await harness.directory.put('project', { ...options, flagApprovals });
      await eventually(async () => {
        const { needed } = await json(await send('dan', 'GET', `/${probe.id}`));
        expect(needed).toBe(Math.max(1, flagApprovals));
      });
    }
    expect((await send('dan', 'POST', `/${probe.id}/decisions`, { decision: 'withdraw' })).status).toBe(200);
  }
  await eventually(async () => expect((await send('dan', 'GET', '')).status).toBe(200));
  await setApprovals(flagApprovals);
  return { ...project, companyId, send, setApprovals };
}

const tokens = new Map<string, string>();

/** Returns how people call the change requests of a project, on the API host. */
function as(projectId: string) {
  async function send(who: string, method: string, path: string, body?: object): Promise<Response> {
    const token = tokens.get(who) ?? (await harness.mint({ sub: who, permissions: [] }));
    tokens.set(who, token);
    return fetch(`${harness.url}/v1/projects/${projectId}/change-requests${path}`, {
      method,
      headers: { Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
  return { send };
}

type Project = Awaited<ReturnType<typeof projectWith>>;

async function opened(response: Promise<Response>): Promise<ChangeRequest> {
  const answer = await response;
  const body = await answer.json();
  expect([answer.status, body]).toEqual([201, expect.anything()]);
  return body as ChangeRequest;
}

const ask = ({ send }: Project, who: string, body: object) =>
  opened(send(who, 'POST', '', { key: 'f', ...body }));

async function decide({ send }: Project, who: string, id: string, decision = 'approve') {
  const response = await send(who, 'POST', `/${id}/decisions`, { decision });
  return { status: response.status, body: await json(response) };
}

const flagOf = async ({ id }: Project, key = 'f') =>
  (await json(await harness.manage('GET', `/projects/${id}/flags/${key}`))) as unknown as FlagEntry;

const versionsOf = async ({ id }: Project) =>
  (await json(await harness.manage('GET', `/projects/${id}/flags/f/versions`)))['versions'];

const stateOf = async ({ send }: Project, id: string) =>
  (await json(await send('ada', 'GET', `/${id}`)))['state'];

describe('a project that requires approvals', () => {
  it('refuses every direct change of a flag, by everyone', async () => {
    const project = await projectWith(1);
    const flag = `/projects/${project.id}/flags/f`;
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const staging = await harness.createProject({ companyId: project.companyId });
    await harness.putFlag(staging, { key: 'f', ...on });
    const ways: [string, string, object | undefined][] = [
      ['PUT', flag, on],
      ['PUT', `/projects/${project.id}/flags/new`, { ...on, enabled: false }],
      ['PUT', flag, { ...on, enabled: false }],
      ['DELETE', flag, undefined],
      ['POST', `/projects/${staging.id}/flags/f/promotions`, { to: project.id }],
      ['POST', `/projects/${project.id}/scheduled-changes`, { key: 'f', at, patch: { enabled: false } }],
    ];
    for (const [method, path, body] of ways) {
      const answer = await harness.manage(method, path, body);
      expect([method, path, answer.status, await json(answer)]).toMatchObject([
        method,
        path,
        409,
        { error: { code: 'APPROVAL_REQUIRED', message: expect.stringContaining('needs 1 approval.') } },
      ]);
    }
    expect(await flagOf(project)).toEqual({ key: 'f', ...half });
    expect((await harness.manage('PUT', flag, half)).status).toBe(200);
  });

  it('refuses to restore a version that does more than switch the flag off', async () => {
    const project = await projectWith(0);
    await harness.putFlag(project, { key: 'f', ...on });
    await harness.putFlag(project, { key: 'f', ...half });
    await project.setApprovals(1);
    const restored = await harness.manage('POST', `/projects/${project.id}/flags/f/restore`, { version: 2 });
    expect([restored.status, await json(restored)]).toMatchObject([
      409,
      { error: { code: 'APPROVAL_REQUIRED' } },
    ]);
  });

  it('lets anyone with flags.write switch a flag off, and marks it as an emergency', async () => {
    const project = await projectWith(2);
    const waiting = await ask(project, 'ada', { flag: on });
    const off = await harness.manage('PUT', `/projects/${project.id}/flags/f?reason=Fire`, {
      ...half,
      enabled: false,
    });
    expect(off.status).toBe(200);
    expect(await versionsOf(project)).toMatchObject([
      { version: 2, emergency: true, reason: 'Fire' },
      { version: 1 },
    ]);
    expect(await stateOf(project, waiting.id)).toBe('withdrawn');
    const again = await harness.manage('PUT', `/projects/${project.id}/flags/f`, half);
    expect(again.status).toBe(409);
  });

  it('changes nothing where no approvals are required', async () => {
    const project = await projectWith(0);
    await harness.putFlag(project, { key: 'f', ...on });
    expect(await versionsOf(project)).toEqual([
      expect.not.objectContaining({ emergency: true }),
      expect.not.objectContaining({ approvedBy: expect.anything() }),
    ]);
  });
});

describe('a change request', () => {
  it('makes its change at the last approval, as a version that names the author and the approvers', async () => {
    const project = await projectWith(2);
    const request = await ask(project, 'ada', { patch: { rolloutPercentage: 75 }, reason: 'Launch' });
    expect(request).toMatchObject({
      state: 'waiting',
      version: 1,
      author: 'ada',
      needed: 2,
      approvals: [],
      closed: null,
      changes: [{ property: 'rolloutPercentage', before: 50, after: 75 }],
    });
    expect((await decide(project, 'bob', request.id)).body).toMatchObject({ state: 'waiting' });
    expect((await decide(project, 'bob', request.id)).body).toMatchObject({ state: 'waiting' });
    expect(await flagOf(project)).toMatchObject(half);
    expect((await decide(project, 'cleo', request.id)).body).toMatchObject({
      state: 'approved',
      closed: { by: 'cleo' },
      approvals: [{ sub: 'bob' }, { sub: 'cleo' }],
    });
    const [newest] = (await versionsOf(project)) as object[];
    expect(newest).toMatchObject({
      version: 2,
      author: 'ada',
      reason: 'Launch',
      approvedBy: ['bob', 'cleo'],
      changes: [{ property: 'rolloutPercentage', before: 50, after: 75 }],
    });
    expect(await decide(project, 'dan', request.id)).toMatchObject({
      status: 409,
      body: { error: { message: 'The change request is approved.' } },
    });
    expect(await versionsOf(project)).toHaveLength(2);
  });

  it('creates and deletes flags, and copies them from another project', async () => {
    const project = await projectWith(1);
    const staging = await harness.createProject({ companyId: project.companyId });
    await harness.putFlag(staging, { key: 'copied', ...on });
    const created = await ask(project, 'ada', { key: 'new', flag: on });
    const copied = await ask(project, 'ada', { key: 'copied', from: staging.id });
    const removed = await ask(project, 'ada', { flag: null });
    expect([created.version, removed.flag]).toEqual([0, null]);
    for (const { id } of [created, copied, removed])
      expect((await decide(project, 'bob', id)).body).toMatchObject({ state: 'approved' });
    const { flags } = await json(await harness.manage('GET', `/projects/${project.id}/flags`));
    expect(flags).toEqual([
      { key: 'copied', ...on },
      { key: 'new', ...on },
    ]);
  });

  it('is withdrawn when the flag moved on', async () => {
    const project = await projectWith(1);
    const [one, other] = [await ask(project, 'ada', { flag: on }), await ask(project, 'bob', { flag: null })];
    await decide(project, 'cleo', one.id);
    expect(await json(await project.send('ada', 'GET', `/${other.id}`))).toMatchObject({
      state: 'withdrawn',
      closed: { by: null, note: 'The flag changed.' },
    });
    expect((await decide(project, 'cleo', other.id)).status).toBe(409);
    expect(await flagOf(project)).toMatchObject(on);
  });

  it('is not approved by its author, a service token or a viewer', async () => {
    const project = await projectWith(1);
    const request = await ask(project, 'ada', { flag: on });
    expect((await decide(project, 'ada', request.id)).status).toBe(403);
    const personal = await putToken(project, 'personal', 'ada');
    const service = await putToken(project, 'service', null);
    await eventually(async () => expect((await project.send(service, 'GET', '')).status).toBe(200));
    await eventually(async () => expect((await project.send(personal, 'GET', '')).status).toBe(200));
    for (const decision of ['approve', 'reject'])
      for (const token of [personal, service])
        expect((await decide(project, token, request.id, decision)).status).toBe(403);
    await harness.directory.put('member', {
      companyId: project.companyId,
      sub: 'eve',
      name: 'Eve',
      email: 'eve@example.com',
      role: 'viewer',
      avatarUrl: null,
      pushSubscriptions: [],
    });
    await eventually(async () => expect((await project.send('eve', 'GET', '')).status).toBe(200));
    expect((await decide(project, 'eve', request.id)).status).toBe(403);
    expect(await stateOf(project, request.id)).toBe('waiting');
  });

  it('needs one approval more when a service token asks', async () => {
    const project = await projectWith(1);
    const service = await putToken(project, 'service', null);
    await eventually(async () => expect((await project.send(service, 'GET', '')).status).toBe(200));
    const request = await ask(project, service, { flag: on });
    expect(request.needed).toBe(2);
    expect((await decide(project, 'ada', request.id)).body).toMatchObject({ state: 'waiting' });
    expect((await decide(project, 'bob', request.id)).body).toMatchObject({ state: 'approved' });
  });

  it('does not count the approval of a person who lost the role or left the company', async () => {
    const project = await projectWith(2);
    const { companyId } = project;
    const request = await ask(project, 'ada', { flag: on });
    await decide(project, 'bob', request.id);
    const bob = { companyId, name: 'bob', email: 'bob@example.com', avatarUrl: null, pushSubscriptions: [] };
    await harness.directory.put('member', { ...bob, sub: 'bob', role: 'viewer' });
    await eventually(async () => expect((await decide(project, 'bob', request.id)).status).toBe(403));
    expect((await decide(project, 'cleo', request.id)).body).toMatchObject({
      state: 'waiting',
      approvals: [{ sub: 'cleo' }],
    });
    await harness.directory.remove('member', companyId, 'cleo');
    await eventually(async () =>
      expect(await json(await project.send('ada', 'GET', `/${request.id}`))).toMatchObject({ approvals: [] }),
    );
    expect((await decide(project, 'dan', request.id)).body).toMatchObject({ state: 'waiting' });
    expect(await flagOf(project)).toMatchObject(half);
  });

  it('is not applied once its author lost the role, and is withdrawn when they leave', async () => {
    const project = await projectWith(1);
    const { companyId } = project;
    const request = await ask(project, 'ada', { flag: on });
    const ada = { companyId, name: 'ada', email: 'ada@example.com', avatarUrl: null, pushSubscriptions: [] };
    await harness.directory.put('member', { ...ada, sub: 'ada', role: 'viewer' });
    await eventually(async () =>
      expect((await project.send('ada', 'POST', '', { key: 'f', flag: on })).status).toBe(403),
    );
    expect((await decide(project, 'bob', request.id)).status).toBe(409);
    await harness.directory.remove('member', companyId, 'ada');
    await eventually(async () =>
      expect(await json(await project.send('bob', 'GET', `/${request.id}`))).toMatchObject({
        state: 'withdrawn',
        closed: { by: null, note: 'The author was removed from the company.' },
      }),
    );
    expect(await flagOf(project)).toMatchObject(half);
  });

  it('needs the number of approvals that the project requires at the last one', async () => {
    const project = await projectWith(1);
    const raised = await ask(project, 'ada', { flag: on });
    await project.setApprovals(2);
    expect((await decide(project, 'bob', raised.id)).body).toMatchObject({ state: 'waiting', needed: 2 });
    await project.setApprovals(1);
    expect(await stateOf(project, raised.id)).toBe('waiting');
    expect((await decide(project, 'bob', raised.id)).body).toMatchObject({ state: 'approved' });
    await project.setApprovals(0);
    expect((await harness.manage('PUT', `/projects/${project.id}/flags/f`, half)).status).toBe(200);
  });

  it('schedules its change for a time, which then needs no approval', async () => {
    const project = await projectWith(1);
    const at = new Date(Date.now() + 3_600_000).toISOString();
    const request = await ask(project, 'ada', { patch: { rolloutPercentage: 75 }, at });
    expect(request).toMatchObject({ at, expiresAt: at });
    expect((await decide(project, 'bob', request.id)).body).toMatchObject({ state: 'approved' });
    const { changes } = await json(await harness.manage('GET', `/projects/${project.id}/scheduled-changes`));
    expect(changes).toMatchObject([
      { key: 'f', at, author: 'ada', approvedBy: ['bob'], patch: { rolloutPercentage: 75 } },
    ]);
    expect(await flagOf(project)).toMatchObject(half);
    await harness.sql`update scheduled_changes set at = now() where project_id = ${project.id}`;
    await eventually(async () => expect(await flagOf(project)).toMatchObject({ rolloutPercentage: 75 }));
    expect(await versionsOf(project)).toMatchObject([{ author: 'ada', approvedBy: ['bob'] }, {}]);
  });

  it('is rejected by others and withdrawn by its author', async () => {
    const project = await projectWith(1);
    const [one, other] = [await ask(project, 'ada', { flag: on }), await ask(project, 'ada', { flag: null })];
    expect((await decide(project, 'bob', one.id, 'withdraw')).status).toBe(403);
    expect((await decide(project, 'ada', one.id, 'reject')).status).toBe(403);
    expect((await decide(project, 'bob', one.id, 'reject')).body).toMatchObject({
      state: 'rejected',
      closed: { by: 'bob' },
    });
    expect((await decide(project, 'ada', other.id, 'withdraw')).body).toMatchObject({ state: 'withdrawn' });
    for (const { id } of [one, other]) expect((await decide(project, 'cleo', id)).status).toBe(409);
  });

  it('expires, and then waits no longer', async () => {
    const project = await projectWith(1);
    const request = await ask(project, 'ada', { flag: on });
    expect(Date.parse(request.expiresAt) - Date.parse(request.createdAt)).toBeCloseTo(30 * 86_400_000, -4);
    await harness.sql`update change_requests set expires_at = now() where id = ${request.id}`;
    expect((await decide(project, 'bob', request.id)).status).toBe(409);
    const { requests, toDecide } = await json(await project.send('bob', 'GET', '?state=waiting'));
    expect([requests, toDecide]).toEqual([[], 0]);
    expect(await stateOf(project, request.id)).toBe('expired');
  });

  it('is one request if the same change is requested again', async () => {
    const project = await projectWith(1);
    const one = await ask(project, 'ada', { flag: on });
    expect((await ask(project, 'ada', { patch: { rolloutPercentage: 100 } })).id).toBe(one.id);
    expect((await ask(project, 'bob', { flag: on })).id).not.toBe(one.id);
  });

  it('is refused without a change, for another version, and for a flag that does not exist', async () => {
    const project = await projectWith(1);
    const statuses: number[] = [];
    for (const body of [
      { key: 'f', flag: half },
      { key: 'f', flag: on, ifVersion: 7 },
      { key: 'unknown', flag: null },
      { key: 'unknown', patch: on },
      { key: 'f', flag: on, patch: on },
      { key: 'f', flag: null, at: new Date(Date.now() + 60_000).toISOString() },
      { key: 'f', from: 'unknown' },
      { key: 'f', from: project.id },
    ])
      statuses.push((await project.send('ada', 'POST', '', body)).status);
    expect(statuses).toEqual([400, 412, 400, 404, 400, 400, 404, 400]);
  });

  it('is refused beyond 10 waiting ones of a flag and 100 of a project', async () => {
    const project = await projectWith(1);
    for (let n = 1; n <= 10; n++) await ask(project, 'ada', { patch: { rolloutPercentage: n } });
    const eleventh = await project.send('ada', 'POST', '', { key: 'f', flag: on });
    expect([eleventh.status, await json(eleventh)]).toMatchObject([
      409,
      { error: { message: 'The flag has 10 waiting change requests. Withdraw one first.' } },
    ]);
    await harness.sql`
      insert into change_requests (id, project_id, key, version, everywhere, expires_at)
      select 'chr_' || n, ${project.id}, 'g' || n, 0, false, now() + interval '1 day' from generate_series(1, 90) n`;
    expect((await project.send('ada', 'POST', '', { key: 'h', flag: on })).status).toBe(409);
    await harness.sql`
      update change_requests set closed_as = 'rejected', closed_at = now() where project_id = ${project.id}`;
    await ask(project, 'ada', { key: 'h', flag: on });
  });

  it('is kept with the last 200 closed ones', async () => {
    const project = await projectWith(1);
    await harness.sql`
      insert into change_requests (id, project_id, key, version, everywhere, expires_at, created_at)
      select 'chr_old' || n, ${project.id}, 'g', 0, false, now(), now() - n * interval '1 day' from generate_series(1, 220) n`;
    await ask(project, 'ada', { flag: on });
    const [row] =
      await harness.sql`select count(*)::int from change_requests where project_id = ${project.id}`;
    expect(row?.['count']).toBe(201);
  });

  it('is withdrawn with a cohort that it names', async () => {
    const project = await projectWith(1);
    await harness.putCohort(project, 'beta', { name: 'Beta' });
    const targeting = [{ attribute: '', op: 'in_cohort', value: 'beta' }];
    const request = await ask(project, 'ada', { flag: { ...on, targeting } });
    expect((await harness.manage('DELETE', `/projects/${project.id}/cohorts/beta`)).status).toBe(204);
    expect(await stateOf(project, request.id)).toBe('withdrawn');
  });

  it('is counted for those who may still approve it', async () => {
    const project = await projectWith(2);
    const request = await ask(project, 'ada', { flag: on });
    await ask(project, 'bob', { flag: null });
    await decide(project, 'cleo', request.id);
    const counts = ['ada', 'bob', 'cleo', 'dan'].map(
      async (who) => (await json(await project.send(who, 'GET', '?limit=1')))['toDecide'],
    );
    expect(await Promise.all(counts)).toEqual([1, 1, 1, 2]);
  });

  it('is unread by its author once others close it or it expires, until the author gets it', async () => {
    const project = await projectWith(1);
    const current = async (who: string) => {
      const { requests, toRead } = await json(await project.send(who, 'GET', '?state=current'));
      const listed = requests as ChangeRequest[];
      expect(toRead).toBe(listed.filter((one) => one.unread).length);
      return listed.map((one) => [one.id, one.state, one.unread]);
    };
    const own = await ask(project, 'ada', { flag: on });
    await decide(project, 'ada', own.id, 'withdraw');
    const rejected = await ask(project, 'ada', { flag: on });
    await decide(project, 'bob', rejected.id, 'reject');
    const expired = await ask(project, 'ada', { flag: on });
    await harness.sql`update change_requests set expires_at = now() where id = ${expired.id}`;
    const withdrawn = await ask(project, 'ada', { flag: null });
    const approved = await ask(project, 'ada', { flag: on });
    expect(await current('bob')).toEqual([
      [approved.id, 'waiting', false],
      [withdrawn.id, 'waiting', false],
    ]);
    await decide(project, 'bob', approved.id);
    const closed = [
      [approved.id, 'approved', true],
      [withdrawn.id, 'withdrawn', true],
      [expired.id, 'expired', true],
      [rejected.id, 'rejected', true],
    ] as const;
    expect(await current('ada')).toEqual(closed);
    expect(await current('bob')).toEqual([]);
    for (const who of ['bob', 'ada'])
      for (const [id] of closed) expect((await project.send(who, 'GET', `/${id}`)).status).toBe(200);
    expect(await current('ada')).toEqual([]);
  });

  it('is not found in another project', async () => {
    const [one, other] = [await projectWith(1), await projectWith(1)];
    const request = await ask(one, 'ada', { flag: on });
    expect((await other.send('bob', 'GET', `/${request.id}`)).status).toBe(404);
    expect((await decide(other, 'bob', request.id)).status).toBe(404);
  });
});

describe('decisions at once', () => {
  const act = fc.record({
    who: fc.constantFrom('bob', 'cleo', 'dan'),
    request: fc.nat({ max: 1 }),
    decision: fc.constantFrom('approve', 'approve', 'approve', 'reject'),
  });

  it('make each change at most once, with enough approvals, and never one of a flag that moved on', async () => {
    const project = await projectWith(2);
    let flag = await flagOf(project);
    await fc.assert(
      fc.asyncProperty(fc.array(act, { minLength: 4, maxLength: 10 }), async (acts) => {
        const before = (await versionsOf(project)) as { version: number }[];
        const version = before[0]?.version ?? 0;
        const next = (by: number) => ({ rolloutPercentage: (flag.rolloutPercentage + by) % 100 });
        const requests = [
          await ask(project, 'ada', { patch: next(1) }),
          await ask(project, 'ada', { patch: next(2) }),
        ];
        await Promise.all(
          acts.map(({ who, request, decision }) =>
            decide(project, who, requests[request]?.id ?? '', decision),
          ),
        );
        const after: ChangeRequest[] = [];
        for (const { id } of requests)
          after.push((await json(await project.send('ada', 'GET', `/${id}`))) as unknown as ChangeRequest);
        const approved = after.filter(({ state }) => state === 'approved');
        flag = await flagOf(project);
        const [newest] = (await versionsOf(project)) as { version: number }[];
        expect(approved.length).toBeLessThanOrEqual(1);
        expect(newest?.version).toBe(version + approved.length);
        for (const { approvals, flag: proposed } of approved) {
          expect(approvals).toHaveLength(2);
          expect(flag).toEqual(proposed);
          expect(after.find((one) => one.state !== 'approved')?.state).not.toBe('waiting');
        }
        for (const { id, state } of after)
          if (state === 'waiting') await decide(project, 'ada', id, 'withdraw');
      }),
      { numRuns: 25 },
    );
  });
});

/** Publishes a token for flags. Returns its value, under which `send` uses it. */
async function putToken({ companyId }: Project, kind: 'personal' | 'service', sub: string | null) {
  const id = `tok_${randomBytes(16).toString('hex')}`;
  const value = newApiToken(kind, id);
  await harness.directory.put('token', {
    id,
    companyId,
    kind,
    sub,
    permissions: ['flags.read', 'flags.write'],
    projectIds: null,
    hashes: [{ hash: hashToken(value), until: null }],
    expiresAt: new Date(Date.now() + 3_600_000).toISOString(),
  });
  tokens.set(value, value);
  return value;
}
