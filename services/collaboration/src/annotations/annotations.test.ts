import { openDatabase } from '@switchboard/database';
import { describe, expect, it } from 'vitest';
import { useCollaboration } from '../testing/harness.ts';

const harness = await useCollaboration();

const path = '/v1/projects/shop/annotations';
const note = { startsOn: '2026-03-10', text: 'Spring campaign', tags: ['marketing'] };
const add = (body: object, sub = 'ada') => harness.as(sub).call('POST', path, { ...note, ...body });

async function texts(query: string, project = 'shop'): Promise<string[]> {
  const { body } = await harness.as('ada').call('GET', `/v1/projects/${project}/annotations?${query}`);
  return body.annotations.map(({ text }: { text: string }) => text);
}

describe('an annotation', () => {
  it('returns all fields of an annotation', async () => {
    const { status, body } = await add({ endsOn: '2026-03-12', tags: ['a', 'b', 'a'] });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(/^ann_[0-9a-f]{32}$/),
      reportId: null,
      startsOn: '2026-03-10',
      endsOn: '2026-03-12',
      text: 'Spring campaign',
      tags: ['a', 'b'],
      createdByName: 'Ada Lovelace',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      updatedAt: body.createdAt,
      canChange: true,
    });
  });

  it('makes an annotation without endsOn one day long', async () => {
    expect((await add({})).body.endsOn).toBe('2026-03-10');
  });

  it('keeps the text of an annotation byte for byte', async () => {
    const text = ' é e\u0301 \u{1F469}\u200D\u{1F4BB} <b>&amp;</b>\n\t ';
    expect((await add({ text })).body.text).toBe(text);
  });

  it('shows the current name of the author, and none after the author has left', async () => {
    const { body } = await add({ startsOn: '1999-01-01', text: 'by alan' }, 'alan');
    expect(body.createdByName).toBe('Alan Turing');
    const read = async () =>
      (await harness.as('ada').call('GET', `${path}?from=1999-01-01&to=1999-01-01`)).body.annotations[0];
    expect(await read()).toMatchObject({ createdByName: 'Alan Turing', canChange: false });
    await harness.directory.remove('member', 'acme', 'alan');
    await expect.poll(read).toMatchObject({ createdByName: null });
  });
});

describe('the list of annotations', () => {
  it('lists the annotations that overlap the range, both ends inclusive', async () => {
    await add({ startsOn: '2025-06-10', endsOn: '2025-06-20', text: 'range' });
    const hits = async (from: string, to: string) => texts(`from=${from}&to=${to}`);
    expect(await hits('2025-06-01', '2025-06-09')).toEqual([]);
    expect(await hits('2025-06-01', '2025-06-10')).toEqual(['range']);
    expect(await hits('2025-06-15', '2025-06-15')).toEqual(['range']);
    expect(await hits('2025-06-20', '2025-06-30')).toEqual(['range']);
    expect(await hits('2025-06-21', '2025-06-30')).toEqual([]);
    expect(await hits('0001-01-01', '2025-12-31')).toContain('range');
  });

  it('lists all annotations in order when there is more than a page, or exactly one', async () => {
    const database = openDatabase({ url: harness.databaseUrl, applicationName: 'test' });
    // Ten annotations a day. Every seventh begins before the range.
    const insert = (from: number, to: number) => database.sql`
      insert into annotations (id, project_id, starts_on, ends_on, text, tags, created_by_sub, created_at, updated_at)
      select 'ann_' || n, 'shop', date '1950-01-01' + n / 10 - case when n % 7 = 0 then 40000 else 0 end,
        date '1950-01-01' + n / 10, 'n' || n, '{a}', 'ada', timestamptz '2026-01-01Z' + n * interval '1 ms', now()
      from generate_series(${from}::int, ${to}::int) as n`;
    const listed = async () => {
      const found = await texts('from=1950-01-01&to=1950-12-31');
      const expected = await database.sql`
        select text from annotations where id like 'ann\_%' and text like 'n%' and starts_on < '1951-01-01'
        order by starts_on, created_at, id`;
      expect(found).toEqual(expected.map(({ text }) => text));
      return found.length;
    };
    await insert(1, 1_000);
    expect(await listed()).toBe(1_000);
    await insert(1_001, 2_300);
    expect(await listed()).toBe(2_300);
    await database.sql`delete from annotations where text like 'n%'`;
    await database.close();
  });

  it('adds the annotations of a named report to those of the project', async () => {
    const on = (reportId: string | null) => ({ startsOn: '2025-07-01', text: String(reportId), reportId });
    await add(on(null));
    await add(on('signups'));
    await add(on('revenue'));
    const day = 'from=2025-07-01&to=2025-07-01';
    expect(await texts(day)).toEqual(['null']);
    expect(await texts(`${day}&reportId=signups`)).toEqual(['null', 'signups']);
    expect(await texts(`${day}&reportId=revenue`)).toEqual(['null', 'revenue']);
    expect(await texts(day, 'blog')).toEqual([]);
  });

  it('lists annotations by startsOn, then createdAt, earliest first', async () => {
    for (const [startsOn, text] of [
      ['2025-08-03', 'third'],
      ['2025-08-01', 'first'],
      ['2025-08-03', 'fourth'],
      ['2025-08-02', 'second'],
    ]) {
      await add({ startsOn, text, reportId: text === 'fourth' ? 'signups' : null });
    }
    expect(await texts('from=2025-08-01&to=2025-08-31&reportId=signups')).toEqual([
      'first',
      'second',
      'third',
      'fourth',
    ]);
  });

  it.each([
    ['without from', 'to=2026-01-01'],
    ['without to', 'from=2026-01-01'],
    ['from after to', 'from=2026-01-02&to=2026-01-01'],
    ['a day that does not exist', 'from=2026-02-30&to=2026-03-01'],
    ['a timestamp', 'from=2026-02-01T00:00:00Z&to=2026-03-01'],
    ['the year 0', 'from=0000-01-01&to=2026-03-01'],
    ['an empty reportId', 'from=2026-02-01&to=2026-03-01&reportId='],
  ])('rejects a list with %s', async (_, query) => {
    expect((await harness.as('ada').call('GET', `${path}?${query}`)).status).toBe(400);
  });

  it('answers 404 for the annotations of an unknown report', async () => {
    const query = 'from=2026-01-01&to=2026-01-01&reportId=posts';
    expect((await harness.as('ada').call('GET', `${path}?${query}`)).status).toBe(404);
  });
});

describe('the content of an annotation', () => {
  it.each<[string, object]>([
    ['200 characters of text', { text: '\u{1F680}'.repeat(200) }],
    ['one tag', { tags: ['a'] }],
    ['ten tags', { tags: Array.from({ length: 10 }, (_, i) => `t${i}`) }],
    ['a tag of 50 characters', { tags: ['\u{1F680}'.repeat(50)] }],
    ['endsOn on startsOn', { endsOn: '2026-03-10' }],
    ['the leap day', { startsOn: '2024-02-29' }],
    ['reportId null', { reportId: null }],
  ])('accepts an annotation with %s', async (_, body) => {
    expect((await add(body)).status).toBe(201);
  });

  it.each<[string, object]>([
    ['201 characters of text', { text: 'x'.repeat(201) }],
    ['an empty text', { text: '' }],
    ['a text of white space', { text: ' \n ' }],
    ['no text', { text: undefined }],
    ['a NUL', { text: 'a\0b' }],
    ['no tags', { tags: [] }],
    ['tags left out', { tags: undefined }],
    ['eleven tags', { tags: Array.from({ length: 11 }, (_, i) => `t${i}`) }],
    ['an empty tag', { tags: [''] }],
    ['a tag of 51 characters', { tags: ['x'.repeat(51)] }],
    ['endsOn before startsOn', { endsOn: '2026-03-09' }],
    ['endsOn null', { endsOn: null }],
    ['a day that does not exist', { startsOn: '2026-02-29' }],
    ['no startsOn', { startsOn: undefined }],
    ['another property', { colour: 'red' }],
    ['a reportId that is no text', { reportId: 7 }],
  ])('rejects an annotation with %s', async (_, body) => {
    expect((await add(body)).status).toBe(400);
  });

  it('answers 404 to an annotation for a report outside the project', async () => {
    expect((await add({ reportId: 'signups' })).body.reportId).toBe('signups');
    expect((await add({ reportId: 'posts' })).status).toBe(404);
  });
});

describe('changing an annotation', () => {
  const one = async (sub = 'ada') =>
    `${path}/${(await add({ reportId: 'signups', endsOn: '2026-03-20' }, sub)).body.id}`;
  const write = ['service.annotations.write'];

  it('replaces days, text, tags and placement of an annotation', async () => {
    const { status, body } = await harness
      .as('ada')
      .call('PATCH', await one(), { startsOn: '2026-04-01', text: 'new', tags: ['x'] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      reportId: null,
      startsOn: '2026-04-01',
      endsOn: '2026-04-01',
      text: 'new',
      tags: ['x'],
    });
    expect(Date.parse(body.updatedAt)).toBeGreaterThanOrEqual(Date.parse(body.createdAt));
  });

  it('allows changes to the author and with service.annotations.write', async () => {
    const address = await one('grace');
    expect((await harness.as('ada').call('PATCH', address, note)).status).toBe(403);
    expect((await harness.as('ada').call('DELETE', address)).status).toBe(403);
    const byHolder = await harness.as('ada', write).call('PATCH', address, note);
    expect(byHolder.body).toMatchObject({ canChange: true, createdByName: 'Grace Hopper' });
    expect((await harness.as('grace').call('PATCH', address, note)).status).toBe(200);
    expect((await harness.as('ada', write).call('DELETE', address)).status).toBe(204);
  });

  it('reports in canChange who may change an annotation', async () => {
    await add({ startsOn: '2025-01-01' }, 'grace');
    const read = async (permissions: string[]) =>
      (await harness.as('ada', permissions).call('GET', `${path}?from=2025-01-01&to=2025-01-01`)).body
        .annotations[0].canChange;
    expect([await read([]), await read(write)]).toEqual([false, true]);
  });

  it('answers 404 to a change of a missing annotation, and 204 to its deletion', async () => {
    const address = await one();
    expect((await harness.as('ada').call('DELETE', address)).status).toBe(204);
    expect((await harness.as('ada').call('DELETE', address)).status).toBe(204);
    expect((await harness.as('ada').call('PATCH', address, note)).status).toBe(404);
  });

  it('answers 404 to a change of an annotation of another project, and changes nothing', async () => {
    const address = await one();
    const elsewhere = address.replace('/shop/', '/blog/');
    expect((await harness.as('ada').call('PATCH', elsewhere, note)).status).toBe(404);
    expect((await harness.as('ada').call('DELETE', elsewhere)).status).toBe(204);
    expect((await harness.as('ada').call('PATCH', address, note)).status).toBe(200);
  });

  it('answers 404 to a move to an unknown report, and 400 with an invalid body', async () => {
    const address = await one();
    const change = (body: object) => harness.as('ada').call('PATCH', address, { ...note, ...body });
    expect((await change({ reportId: 'posts' })).status).toBe(404);
    expect((await change({ text: '' })).status).toBe(400);
    expect((await change({ id: 'ann_1' })).status).toBe(400);
  });
});
