import { openDatabase } from '@switchboard/database';
import { DIRECTORY_TOPIC, ERASURE_REPORTS_TOPIC } from '@switchboard/directory';
import { openPostgresLog, readTopic } from '@switchboard/event-log';
import { createPersonPublisher } from '@switchboard/person-ids/testing';
import { eventually } from '@switchboard/testkit';
import { beforeAll, describe, expect, it } from 'vitest';
import { createRecordsStore } from '../records/store.ts';
import { acme, ada, pro, shop, testCatalogue, useCatalogue } from '../testing/harness.ts';
import { createErasuresStore } from './store.ts';

const { catalogue, one } = await useCatalogue();
beforeAll(async () => {
  await one.put('/plans/pro/monthly', pro);
  await one.put('/companies/acme', acme);
  await one.put('/companies/other', acme);
  await one.put('/projects/shop', shop);
  await one.put('/projects/shop-us', { ...shop, region: 'us' });
});

async function report(...values: object[]): Promise<void> {
  const log = openPostgresLog({ url: catalogue.logUrl });
  const records = values.map((value) => ({
    partition: 0,
    key: null,
    value: Buffer.from(JSON.stringify(value)),
    headers: {},
  }));
  await log.publish(ERASURE_REPORTS_TOPIC, records);
  await log.close();
}

const entry = async (id: string) => (await catalogue.published()).get(`erasure:${id}`);

const stored = async (text: string) => {
  const sql = await catalogue.sql();
  return [...(await sql`select id from erasures as one where one::text like ${`%${text}%`}`)];
};

describe('the erasure of a person with several ids', () => {
  async function withPeople(
    run: (people: Awaited<ReturnType<typeof createPersonPublisher>>) => Promise<void>,
  ) {
    const log = openPostgresLog({ url: catalogue.logUrl });
    const database = openDatabase({ url: catalogue.databaseUrl, applicationName: 'test' });
    try {
      await run(await createPersonPublisher(log, database));
    } finally {
      await Promise.all([log.close(), database.close()]);
    }
  }

  it('takes all ids of the person, answers them, and leaves other people out', () =>
    withPeople(async ({ join }) => {
      await join({ id: 'shop' }, 'eve', 'eve-phone', 'eve-laptop');
      await join({ id: 'shop' }, 'mallory', 'mallory-phone');
      await join({ id: 'other-shop' }, 'eve', 'eve-elsewhere');
      const { status, body } = await one.manage('POST', '/projects/shop/erasures', {
        distinctIds: ['eve-phone', 'unknown'],
      });
      expect(status).toBe(202);
      expect(body.distinctIds.toSorted()).toEqual(['eve', 'eve-laptop', 'eve-phone', 'unknown']);
      await eventually(async () =>
        expect(await entry(body.id)).toMatchObject({ subject: { distinctIds: body.distinctIds } }),
      );
      const { body: listed } = await one.manage('GET', '/erasures?projectId=shop');
      expect(listed.erasures[0]).not.toHaveProperty('distinctIds');
    }));

  it('takes the ids that flags finds joined after the request, shows them, and forgets them at the end', async () => {
    const { body } = await one.manage('POST', '/projects/shop-us/erasures', { distinctIds: ['zoe'] });
    const { id } = body;
    const found = { erasureId: id, service: 'us/flags', found: ['zoe', 'zoe-phone'] };
    await report(found, found);
    await eventually(async () =>
      expect(await entry(id)).toMatchObject({
        subject: { distinctIds: ['zoe', 'zoe-phone'] },
        waitingFor: expect.arrayContaining(['us/flags', 'us/archive']),
      }),
    );
    const shown = async () => (await one.manage('GET', `/erasures/${id}`)).body.distinctIds;
    expect(await shown()).toEqual(['zoe', 'zoe-phone']);
    const services = ['analytics', 'archive', 'collaboration', 'flags', 'messenger'];
    await report(...services.map((service) => ({ erasureId: id, service: `us/${service}` })));
    await eventually(async () => expect(await shown()).toBeNull());
    await report(found);
    await eventually(async () => expect(await entry(id)).toBeNull());
    expect(await stored('zoe-phone')).toEqual([]);
  });

  it('rejects persons with more than 1,000 ids together, and erases nothing', () =>
    withPeople(async ({ join }) => {
      const ids = Array.from({ length: 600 }, (_, index) => `many-${index}`);
      const sql = await catalogue.sql();
      for (const person of ['many-ada', 'many-grace'])
        await sql`insert into person_ids select 'shop', ${person} || id, ${person}, now(), '{"kind":"identify"}'
          from unnest(${ids}::text[]) as ids(id)`;
      await join({ id: 'shop' }, 'many-ada', 'many-last');
      const { status, body } = await one.manage('POST', '/projects/shop/erasures', {
        distinctIds: ['many-ada', 'many-grace'],
      });
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('1203 distinct ids')]);
      expect(await stored('many-ada')).toEqual([]);
    }));
});

describe('the erasure of a person', () => {
  const person = { distinctIds: ['anonymous-1', 'person-1'], userId: 'user-1' };

  it('waits for the services of the region, and forgets the ids when all have reported', async () => {
    const { status, body } = await one.manage('POST', '/projects/shop-us/erasures', person);
    expect(status).toBe(202);
    const services = ['analytics', 'archive', 'collaboration', 'flags', 'messenger'].map((service) => {
      return { region: 'us', service, doneAt: null as string | null };
    });
    expect(body).toMatchObject({ kind: 'person', projectId: 'shop-us', state: 'running', services });
    const { id } = body;
    expect(await stored('person-1')).toEqual([{ id }]);
    const subject = { kind: 'person', projectId: 'shop-us', ...person };
    await eventually(async () =>
      expect(await entry(id)).toEqual({
        id,
        subject,
        waitingFor: ['us/analytics', 'us/archive', 'us/collaboration', 'us/flags', 'us/messenger'],
      }),
    );

    await report(
      { erasureId: id, service: 'us/flags' },
      { erasureId: id, service: 'us/flags' },
      { erasureId: id, service: 'eu/archive' },
      { erasureId: 'ers_unknown', service: 'us/archive' },
      { nonsense: true },
      { erasureId: id, service: 'us/archive' },
      { erasureId: id, service: 'us/analytics' },
    );
    await eventually(async () =>
      expect(await entry(id)).toEqual({ id, subject, waitingFor: ['us/collaboration', 'us/messenger'] }),
    );
    const { body: half } = await one.manage('GET', `/erasures/${id}`);
    expect(half.state).toBe('running');
    expect(half.services.map((one: { doneAt: string | null }) => one.doneAt !== null)).toEqual([
      ...[true, true, false, true, false],
    ]);

    await report({ erasureId: id, service: 'us/messenger' }, { erasureId: id, service: 'us/collaboration' });
    await eventually(async () => expect(await entry(id)).toBeNull());
    expect((await one.manage('GET', `/erasures/${id}`)).body.state).toBe('done');
    expect(await stored('person-1')).toEqual([]);
    await eventually(async () => {
      const { entries } = (await one.manage('GET', '/projects/shop-us/audit?action=finishErasure')).body;
      const ofThis = entries.filter(({ object }: { object: string }) => object === `erasure:${id}`);
      expect(ofThis).toMatchObject([
        { actor: { kind: 'scheduler', id }, companyId: 'acme', outcome: 'allowed' },
      ]);
      expect(JSON.stringify(ofThis)).not.toContain('person-1');
    });
  });

  it('rejects an erasure without a project or ids', async () => {
    expect((await one.manage('POST', '/projects/nowhere/erasures', person)).status).toBe(404);
    expect((await one.manage('POST', '/projects/shop/erasures', { distinctIds: [] })).status).toBe(400);
    expect((await one.manage('GET', '/erasures/ers_unknown')).status).toBe(404);
    const token = await catalogue.tokens.mint({ sub: 'ada', permissions: [] });
    expect((await one.manage('POST', '/projects/shop/erasures', person, token)).status).toBe(403);
  });
});

it('ends every membership of an erased colleague, and asks every region', async () => {
  for (const company of ['acme', 'other']) await one.put(`/companies/${company}/members/sub-1`, ada);
  await one.put('/companies/acme/members/sub-2', ada);
  const { status, body } = await one.manage('POST', '/erasures', { sub: 'sub-1' });
  expect(status).toBe(202);
  expect(body).toMatchObject({ kind: 'colleague', projectId: null, state: 'running' });
  const waitingFor = ['eu', 'us'].flatMap((region) =>
    ['analytics', 'archive', 'collaboration', 'flags', 'ingestion', 'messenger'].map(
      (service) => `${region}/${service}`,
    ),
  );
  await eventually(async () => {
    const subject = { kind: 'colleague', sub: 'sub-1' };
    const found = await entry(body.id);
    expect(found).toMatchObject({ id: body.id, subject });
    expect(found).toHaveProperty('waitingFor', expect.arrayContaining(waitingFor));
    const published = await catalogue.published();
    for (const company of ['acme', 'other']) expect(published.get(`member:${company}/sub-1`)).toBeNull();
  });
  expect((await one.manage('GET', '/companies/acme/members/sub-1')).status).toBe(404);
  expect((await one.manage('GET', '/companies/acme/members/sub-2')).status).toBe(200);
});

it('lists erasures to an operator in pages, newest first, and by state', async () => {
  const listed = await testCatalogue();
  const here = await listed.instance();
  const sql = await listed.sql();
  expect((await here.manage('GET', '/erasures')).body).toEqual({ erasures: [], nextCursor: null });
  const subject = { kind: 'person', projectId: 'shop', distinctIds: ['visitor'], userId: null };
  await sql`
    insert into erasures (id, kind, subject, project_id)
    select 'ers_' || to_char(n, 'FM0000'), 'person', ${JSON.stringify(subject)}, 'shop'
    from generate_series(0, 449) as n`;
  await sql`
    insert into erasure_parts (erasure_id, region, service, done_at)
    select id, 'eu', service, case when id < 'ers_0440' or service = 'flags' then now() end
    from erasures, unnest(array['archive', 'flags']) as service`;

  const read: { id: string }[] = [];
  const sizes: number[] = [];
  for (let path = '/erasures'; path !== ''; ) {
    const { body } = await here.manage('GET', path);
    read.push(...body.erasures);
    sizes.push(body.erasures.length);
    path = body.nextCursor === null ? '' : `/erasures?cursor=${body.nextCursor}`;
  }
  expect(sizes).toEqual([200, 200, 50]);
  const ids = Array.from({ length: 450 }, (_, n) => `ers_${String(449 - n).padStart(4, '0')}`);
  expect(read.map(({ id }) => id)).toEqual(ids);
  const newest = await here.manage('GET', '/erasures/ers_0449');
  expect(newest.body).toEqual({ ...read[0], distinctIds: ['visitor'] });
  expect(JSON.stringify(read)).not.toContain('visitor');

  const running = await here.manage('GET', '/erasures?state=running');
  expect(running.body.erasures.map(({ id }: { id: string }) => id)).toEqual(ids.slice(0, 10));
  const done = await here.manage('GET', '/erasures?state=done');
  expect(done.body.erasures.map(({ id }: { id: string }) => id)).toEqual(ids.slice(10, 210));
  expect((await here.manage('GET', '/erasures?state=lost')).status).toBe(400);
  const token = await listed.tokens.mint({ sub: 'ada', permissions: [] });
  expect((await here.manage('GET', '/erasures', undefined, token)).status).toBe(403);
  await listed.close();
});

describe('the erasure of a deleted project', () => {
  const every = (region: string) =>
    ['analytics', 'archive', 'collaboration', 'flags', 'ingestion', 'messenger'].map(
      (service) => `${region}/${service}`,
    );
  const erasuresOf = async (query: string) =>
    (await one.manage('GET', `/erasures?${query}`)).body.erasures as {
      id: string;
      state: string;
      services: { region: string; service: string }[];
    }[];
  const finish = async (id: string, waitingFor: string[]) => {
    await report(...waitingFor.map((service) => ({ erasureId: id, service })));
    await eventually(async () => expect(await entry(id)).toMatchObject({ waitingFor: [] }));
  };

  it('waits for every service, and publishes the erasure for good', async () => {
    await one.put('/projects/deleted', shop);
    await one.remove('/projects/deleted');
    const [begun, ...more] = await erasuresOf('projectId=deleted&kind=project');
    expect([begun?.state, more]).toEqual(['running', []]);
    const id = begun?.id ?? '';
    const waitingFor = [...every('eu'), ...every('us')];
    const subject = { kind: 'project', projectId: 'deleted' };
    await eventually(async () => expect(await entry(id)).toEqual({ id, subject, waitingFor }));

    // A second request does not begin another erasure while the first is running.
    await one.remove('/projects/deleted');
    expect(await erasuresOf('projectId=deleted')).toHaveLength(1);
    await finish(id, waitingFor);
    expect((await one.manage('GET', `/erasures/${id}`)).body.state).toBe('done');
    const sql = await catalogue.sql();
    await sql`update erasures set created_at = '2020-01-01' where id = ${id}`;
    const database = openDatabase({ url: catalogue.databaseUrl, applicationName: 'test' });
    await createErasuresStore(database.drizzle).removeDoneBefore(new Date(), 100);
    await database.close();
    expect((await one.put('/projects/deleted', shop)).status).toBe(409);
  });

  it('repeats the erasure when the project is deleted again', async () => {
    await one.put('/projects/twice', shop);
    await one.remove('/projects/twice');
    const [first] = await erasuresOf('projectId=twice');
    await finish(first?.id ?? '', [...every('eu'), ...every('us')]);
    expect((await one.remove('/projects/twice')).status).toBe(204);
    expect((await erasuresOf('projectId=twice')).map(({ state }) => state)).toEqual(['running', 'done']);
    await one.remove('/projects/never-there');
    expect(await erasuresOf('projectId=never-there')).toEqual([]);
  });

  it('asks the region of the project even if no other project is there', async () => {
    await one.put('/projects/far', { ...shop, region: 'ap' });
    await one.remove('/projects/far');
    const [begun] = await erasuresOf('projectId=far');
    expect(new Set(begun?.services.map(({ region }) => region))).toEqual(new Set(['eu', 'us', 'ap']));
  });

  it('begins an erasure for each project of a deleted company, and for the company', async () => {
    await one.put('/companies/leaving', acme);
    for (const id of ['leaving-1', 'leaving-2'])
      await one.put(`/projects/${id}`, { ...shop, companyId: 'leaving' });
    await one.remove('/companies/leaving');
    for (const id of ['leaving-1', 'leaving-2'])
      expect(await erasuresOf(`projectId=${id}`)).toMatchObject([{ kind: 'project', companyId: 'leaving' }]);
    const [ofCompany] = await erasuresOf('companyId=leaving&kind=company');
    expect(ofCompany).toMatchObject({ kind: 'company', projectId: null, companyId: 'leaving' });
    const subject = { kind: 'company', companyId: 'leaving' };
    await eventually(async () => expect(await entry(ofCompany?.id ?? '')).toMatchObject({ subject }));
  });

  it('is listed to an administrator of its company, and to no one else', async () => {
    for (const companyId of ['acme', 'other']) {
      await one.put(`/projects/left-${companyId}`, { ...shop, companyId });
      await one.remove(`/projects/left-${companyId}`);
    }
    await one.put('/companies/acme/members/root', { ...ada, role: 'admin' });
    await one.put('/companies/acme/members/ed', { ...ada, role: 'editor' });
    const list = async (sub: string, path: string) => {
      const token = await catalogue.tokens.mint({ sub, permissions: [] });
      return one.get(`/v1/companies/${path}`, { Authorization: `Bearer ${token}` });
    };
    const listed = await list('root', 'acme/erasures?kind=project');
    const projectIds = listed.body.erasures.map(({ projectId }: { projectId: string }) => projectId);
    expect(projectIds).toContain('left-acme');
    expect(projectIds).not.toContain('left-other');
    const found = await list('root', 'acme/erasures?projectId=left-acme&state=running');
    expect(found.body.erasures).toMatchObject([{ projectId: 'left-acme', companyId: 'acme' }]);
    expect((await list('root', 'acme/erasures?projectId=left-other')).body.erasures).toEqual([]);
    const refused = [list('root', 'other/erasures'), list('ed', 'acme/erasures')];
    expect((await Promise.all(refused)).map(({ status }) => status)).toEqual([403, 403]);
  });

  it('publishes the erasure again for services that could not read it', async () => {
    await one.put('/projects/unread', shop);
    await one.remove('/projects/unread');
    const [begun] = await erasuresOf('projectId=unread');
    const records = async () => {
      const log = openPostgresLog({ url: catalogue.logUrl });
      let count = 0;
      await readTopic(log, DIRECTORY_TOPIC, {
        onRecord: ({ key }) => {
          if (key === `erasure:${begun?.id}`) count += 1;
        },
      });
      await log.close();
      return count;
    };
    const before = await records();
    await catalogue.instance();
    await eventually(async () => expect(await records()).toBeGreaterThan(before));
  });

  it('includes the erasure in the entries that are published when the topic is lost', async () => {
    const database = openDatabase({ url: catalogue.databaseUrl, applicationName: 'test' });
    const records = await database.drizzle.transaction((tx) => createRecordsStore(tx).lockAndReadAll());
    await database.close();
    const ofDeleted = records.filter(({ value }) => value?.includes('"projectId":"deleted"'));
    expect(ofDeleted.map(({ value }) => JSON.parse(value ?? ''))).toMatchObject([{ waitingFor: [] }]);
  });
});
