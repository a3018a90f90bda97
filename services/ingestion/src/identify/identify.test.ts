import { groupRecord, identifyRecord, readStateTokens } from '@switchboard/contracts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  KEY,
  linesOf,
  PROJECT,
  partitionOf,
  startIngestion,
  type TestIngestion,
} from '../testing/service.ts';

let ingestion: TestIngestion;
beforeAll(async () => {
  ingestion = await startIngestion();
});
afterAll(() => ingestion.stop());

describe('an accepted call', () => {
  it.each([
    ['identifies', '/v1/identify'],
    ['groups', '/v1/group'],
  ])('returns the position of a call on %s in X-State-Token', async (topic, path) => {
    await ingestion.published(topic);
    const people = Array.from({ length: 30 }, (_, index) => `person-${index}`);
    const answers = await Promise.all(
      people.map((person) => ingestion.post(path, { distinct_id: person, properties: { group_id: person } })),
    );
    const records = await ingestion.published(topic);
    for (const [index, { headers }] of answers.entries()) {
      const [position] = readStateTokens(headers.get('X-State-Token') ?? '');
      const { partition, offset } =
        records.find(({ key }) => key === `${PROJECT}:${people[index]}`) ?? records[0] ?? {};
      expect(position).toEqual({ topic, partition, offset: Number(offset) });
    }
  });
});

describe('an identify call', () => {
  const identify = (body: unknown) => ingestion.post('/v1/identify', body);

  it('writes an identify call as one record on the partition of the person, with its properties as traits', async () => {
    const answer = await identify({
      distinct_id: 'ada',
      event_id: 'call-1',
      properties: { distinct_id: 'not ada', plan: 'pro', seats: null, address: { city: 'Köln' } },
      timestamp: '2026-03-01T11:30:00+02:00',
    });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
    const [record, ...others] = await ingestion.published('identifies');
    expect(others).toEqual([]);
    expect(record).toMatchObject({ partition: partitionOf('ada'), key: `${PROJECT}:ada` });
    const value: unknown = JSON.parse(record?.value?.toString() ?? '');
    expect(identifyRecord.parse(value)).toEqual(value);
    expect(value).toMatchObject({
      project_id: PROJECT,
      distinct_id: 'ada',
      event_id: 'call-1',
      traits: { plan: 'pro', seats: null, address: { city: 'Köln' } },
      timestamp: '2026-03-01T09:30:00.000Z',
      received_at: record?.headers['received_at'],
    });
    expect(value).not.toHaveProperty('traits.distinct_id');
  });

  it('takes the person from the properties, and the time of arrival by default', async () => {
    expect((await identify({ properties: { distinct_id: 'bob' } })).status).toBe(202);
    const [value] = linesOf(await ingestion.published('identifies'));
    expect(value).toMatchObject({ distinct_id: 'bob', traits: {}, timestamp: value?.['received_at'] });
  });

  it('passes the anonymous id on, and does not store it as a trait', async () => {
    const properties = { anonymous_id: 'visitor-1', plan: 'pro' };
    expect((await identify({ distinct_id: 'cara', properties })).status).toBe(202);
    const [value] = linesOf(await ingestion.published('identifies'));
    expect(value).toMatchObject({ distinct_id: 'cara', anonymous_id: 'visitor-1', traits: { plan: 'pro' } });
    expect(value).not.toHaveProperty('traits.anonymous_id');
  });

  it.each([['dan'], [null]])('joins nothing if the anonymous id of dan is %s', async (anonymous_id) => {
    expect((await identify({ distinct_id: 'dan', properties: { anonymous_id } })).status).toBe(202);
    const [value] = linesOf(await ingestion.published('identifies'));
    expect(value).toMatchObject({ distinct_id: 'dan', traits: {} });
    expect(value).not.toHaveProperty('anonymous_id');
  });

  it.each([
    [
      'an anonymous id of 201 characters',
      { distinct_id: 'ada', properties: { anonymous_id: 'x'.repeat(201) } },
      400,
      /^properties.anonymous_id: longer/,
    ],
    [
      'an anonymous id that is a number',
      { distinct_id: 'ada', properties: { anonymous_id: 1 } },
      400,
      /^properties.anonymous_id: /,
    ],
    ['no person', { properties: { plan: 'pro' } }, 400, /^distinct_id: required/],
    ['a person of white space', { distinct_id: ' \n' }, 400, /^distinct_id: only white space/],
    ['an event_id of white space', { distinct_id: 'ada', event_id: ' ' }, 400, /^event_id: only white space/],
    ['a person of 201 characters', { distinct_id: 'x'.repeat(201) }, 400, /^distinct_id: longer/],
    [
      'a wrong time',
      { distinct_id: 'ada', timestamp: '2026-13-01T00:00:00Z' },
      400,
      /^timestamp: not an RFC 3339 date-time/,
    ],
    ['a NUL', { distinct_id: 'ada', properties: { a: 'b\0' } }, 400, /^properties.*NUL/],
    ['an array', [], 400, /^body: /],
  ])('rejects an identify call with %s', async (_, body, status, message) => {
    const answer = await identify(body);
    expect(answer.status).toBe(status);
    expect(Object(answer.body).message).toMatch(message);
    expect(await ingestion.published('identifies')).toEqual([]);
  });

  it('accepts up to 1,000 properties and 100,000 bytes of traits', async () => {
    const many = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`${index}`, index]));
    const large = { text: 'x'.repeat(100_000 - '{"text":""}'.length) };
    for (const properties of [many, large, { ['n'.repeat(200)]: 1 }]) {
      expect(await identify({ distinct_id: 'ada', properties })).toMatchObject({ status: 202 });
    }
    for (const properties of [{ ...many, more: 1 }, { ['n'.repeat(201)]: 1 }]) {
      expect(await identify({ distinct_id: 'ada', properties })).toMatchObject({ status: 400 });
    }
    const larger = { text: `${large.text}x` };
    expect((await identify({ distinct_id: 'ada', properties: larger })).status).toBe(413);
    const short = `{"distinct_id":"ada","properties":{"n":[${'1e20,'.repeat(5_000)}1]}}`;
    expect((await identify(short)).status).toBe(413);
    expect((await identify(`{"distinct_id":"ada"${' '.repeat(262_144)}}`)).status).toBe(413);
  });

  it('accepts a key in the body of an identify call', async () => {
    const answer = await ingestion.post('/v1/identify', { distinct_id: 'ada', api_key: KEY }, {});
    expect(answer.status).toBe(202);
    const [value] = linesOf(await ingestion.published('identifies'));
    expect(JSON.stringify(value)).not.toContain(KEY);
  });
});

describe('a group call', () => {
  const group = (body: unknown) => ingestion.post('/v1/group', body);

  it('reads the group from the properties of a group call, and its traits from the others', async () => {
    const answer = await group({
      distinct_id: 'ada',
      properties: { group_id: 'acme', group_type: 'team', seats: 40 },
    });
    expect(answer).toMatchObject({ status: 202, body: { accepted: 1 } });
    const [record] = await ingestion.published('groups');
    expect(record?.partition).toBe(partitionOf('ada'));
    const value: unknown = JSON.parse(record?.value?.toString() ?? '');
    expect(groupRecord.parse(value)).toEqual(value);
    expect(value).toMatchObject({ group_type: 'team', group_id: 'acme', traits: { seats: 40 } });
  });

  it('uses the group type company by default, and leaves the group with null', async () => {
    expect((await group({ distinct_id: 'ada', properties: { group_id: null } })).status).toBe(202);
    expect(linesOf(await ingestion.published('groups'))).toMatchObject([
      { distinct_id: 'ada', group_type: 'company', group_id: null, traits: {} },
    ]);
  });

  it.each([
    ['no properties', { distinct_id: 'ada' }, /^properties: required/],
    ['no group', { distinct_id: 'ada', properties: {} }, /^properties\.group_id: required/],
    ['no person', { properties: { group_id: 'acme' } }, /^distinct_id: required/],
    [
      'a group of white space',
      { distinct_id: 'ada', properties: { group_id: ' ' } },
      /^properties\.group_id: only/,
    ],
  ])('rejects a group call with %s', async (_, body, message) => {
    const answer = await group(body);
    expect(answer.status).toBe(400);
    expect(Object(answer.body).message).toMatch(message);
  });
});

describe('joins', () => {
  const identify = (body: unknown) => ingestion.post('/v1/identify', body);

  it('stores the traits of a call past 6,000 anonymous ids of a project in a minute, and counts that its id is not joined', async () => {
    const refused = async () => {
      const text = await (await fetch(`${ingestion.url}/metrics`)).text();
      return Number(/switchboard_joins_refused_total\{reason="rate"[^}]*\} (\d+)/.exec(text)?.[1] ?? 0);
    };
    await ingestion.published('identifies');
    for (let from = 0; (await refused()) === 0; from += 100) {
      expect(from).toBeLessThanOrEqual(6_000);
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          identify({ distinct_id: 'flood', properties: { anonymous_id: `visitor-${from + index}` } }),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]));
    }
    await ingestion.published('identifies');
    const properties = { anonymous_id: 'one-too-many', plan: 'pro' };
    expect((await identify({ distinct_id: 'flood', properties })).status).toBe(202);
    const [record] = linesOf(await ingestion.published('identifies'));
    expect(record).toMatchObject({ distinct_id: 'flood', traits: { plan: 'pro' } });
    expect(record).not.toHaveProperty('anonymous_id');
  });
});
