import { Readable } from 'node:stream';
import { documented } from '@switchboard/testkit';
import { describe, expect, it } from 'vitest';
import { Refused, requireTime } from '../../imports/refused.ts';
import { ManifestError } from '../../manifest/yaml.ts';
import { UsageError } from '../../terminal/terminal.ts';
import { amplitude } from './amplitude.ts';
import { csvSource } from './csv.ts';
import { mixpanel } from './mixpanel.ts';
import { posthog } from './posthog.ts';
import { segment } from './segment.ts';
import type { Source, SourceRecord } from './source.ts';

const AT = '2025-03-01T09:30:00.000Z';

/** Converts a record, and returns its calls and the names of lost parts. */
function converted(source: Source, record: object, name = 'export.jsonl') {
  const lost: string[] = [];
  const items = source.convert({ ...record }, { eventId: 'line-1', name, lose: (what) => lost.push(what) });
  return { calls: items.map(({ kind, call }) => ({ kind, ...call })), lost };
}

async function recordsOf(source: Source, text: string) {
  const found: SourceRecord[] = [];
  for await (const records of source.read(Readable.from([Buffer.from(text)]))) found.push(...records);
  return found;
}

describe('PostHog', () => {
  const row = {
    ...{
      uuid: 'event-1',
      event: 'paid',
      distinct_id: 'ada',
      person_id: 'p1',
      timestamp: '2025-03-01 09:30:00',
    },
    properties: { total: 42, $session_id: 's1', $os: 'Mac OS X' },
  };

  it('converts an event as its SDKs send it', () => {
    expect(converted(posthog, row).calls).toEqual([
      {
        kind: 'event',
        distinct_id: 'ada',
        event_id: 'event-1',
        event_name: 'paid',
        schema_version: 1,
        timestamp: AT,
        session_id: 's1',
        properties: { total: 42 },
        context: { os: 'macOS' },
      },
    ]);
  });

  it('converts properties that are JSON text, own traits of the person, and joins', () => {
    const text = {
      ...row,
      properties: '{"$is_identified":true}',
      person_properties: '{"plan":"pro","$os":"x"}',
    };
    expect(converted(posthog, text).calls).toMatchObject([
      { kind: 'identify', distinct_id: 'ada', properties: { plan: 'pro' }, timestamp: AT },
      { kind: 'event', event_name: 'paid' },
    ]);
    const set = { ...row, properties: { $set: { seats: 4 } }, person_properties: { plan: 'pro' } };
    expect(converted(posthog, set).calls[0]).toMatchObject({ properties: { plan: 'pro', seats: 4 } });
    const join = { ...row, event: '$identify', properties: { $anon_distinct_id: 'visitor' } };
    expect(converted(posthog, join).calls).toMatchObject([
      { kind: 'identify', distinct_id: 'ada', properties: { anonymous_id: 'visitor' } },
    ]);
  });

  it('does not identify visitors that are anonymous', () => {
    const anonymous = { ...row, properties: { $is_identified: false }, person_properties: { plan: 'pro' } };
    const { calls, lost } = converted(posthog, anonymous);
    expect(calls.map(({ kind }) => kind)).toEqual(['event']);
    expect(lost).toEqual(['traits of an anonymous visitor']);
  });
});

describe('Mixpanel', () => {
  const properties = {
    time: 1_740_821_400,
    distinct_id: 'ada',
    $insert_id: 'event-1',
    total: 42,
    $browser: 'Chrome',
  };

  it('converts an event with its time in seconds or milliseconds', () => {
    for (const time of [1_740_821_400, 1_740_821_400_000])
      expect(converted(mixpanel, { event: 'paid', properties: { ...properties, time } }).calls).toEqual([
        {
          kind: 'event',
          distinct_id: 'ada',
          event_id: 'event-1',
          event_name: 'paid',
          schema_version: 1,
          timestamp: AT,
          properties: { total: 42, browser: 'Chrome' },
        },
      ]);
  });

  it.each([
    ['$identify', { $identified_id: 'ada', $anon_id: 'visitor' }],
    ['$create_alias', { alias: 'visitor' }],
    ['$merge', { $distinct_ids: ['ada', 'visitor'] }],
  ])('converts %s to a join', (event, more) => {
    expect(converted(mixpanel, { event, properties: { ...properties, ...more } }).calls).toMatchObject([
      { kind: 'identify', distinct_id: 'ada', properties: { anonymous_id: 'visitor' } },
    ]);
  });

  it('joins the device of a person, and converts page views', () => {
    const sent = {
      ...properties,
      $user_id: 'ada',
      $device_id: 'd1',
      $current_url: 'https://shop.example/?q=1',
    };
    expect(converted(mixpanel, { event: '$mp_web_page_view', properties: sent }).calls).toMatchObject([
      { kind: 'identify', properties: { anonymous_id: '$device:d1' } },
      { kind: 'event', event_name: 'page viewed', properties: { url: 'https://shop.example/' } },
    ]);
  });
});

describe('Amplitude', () => {
  const row = {
    ...{ event_type: 'paid', event_time: '2025-03-01 09:30:00.000000', $insert_id: 'event-1' },
    ...{ user_id: 'ada', device_id: 'd1', session_id: 1_740_821_000_000, language: 'German', os_name: 'iOS' },
    ...{ event_properties: { total: 42 }, user_properties: { plan: 'pro' }, country: 'Germany' },
  };

  it('converts an event, the traits of its person, and the join of the device', () => {
    expect(converted(amplitude, row).calls).toEqual([
      {
        kind: 'identify',
        distinct_id: 'ada',
        timestamp: AT,
        properties: { plan: 'pro', anonymous_id: 'd1' },
      },
      {
        kind: 'event',
        distinct_id: 'ada',
        event_id: 'event-1',
        event_name: 'paid',
        schema_version: 1,
        timestamp: AT,
        session_id: 'd1-1740821000000',
        properties: { total: 42, country: 'Germany' },
        context: { locale: 'German', os: 'iOS' },
      },
    ]);
  });

  it('does not identify a device, and stores $identify as traits alone', () => {
    const { calls, lost } = converted(amplitude, { ...row, user_id: null });
    expect(calls).toMatchObject([{ kind: 'event', distinct_id: 'd1' }]);
    expect(lost).toEqual(['user_properties without user_id']);
    expect(converted(amplitude, { ...row, event_type: '$identify' }).calls).toHaveLength(1);
  });
});

describe('Segment', () => {
  const row = {
    id: 'event-1',
    user_id: 'ada',
    anonymous_id: 'visitor',
    timestamp: AT,
    context_library_name: 'js',
  };

  it('converts rows of tracks and of tables of events', () => {
    const track = {
      ...row,
      event: 'order_paid',
      event_text: 'Order Paid',
      total: 42,
      context_page_url: 'https://a.example/',
    };
    expect(converted(segment, track).calls).toMatchObject([
      {
        kind: 'event',
        distinct_id: 'ada',
        event_id: 'event-1',
        event_name: 'Order Paid',
        properties: { total: 42, url: 'https://a.example/' },
        context: { sdk: 'js' },
      },
    ]);
  });

  it('converts rows of pages, identifies and aliases by the name of the file', () => {
    expect(converted(segment, { ...row, path: '/cart' }, 'pages.jsonl.gz').calls).toMatchObject([
      { kind: 'event', event_name: 'page viewed', properties: { path: '/cart' } },
    ]);
    expect(converted(segment, { ...row, plan: 'pro' }, 'identifies-1.jsonl').calls).toMatchObject([
      { kind: 'identify', distinct_id: 'ada', properties: { plan: 'pro', anonymous_id: 'visitor' } },
    ]);
    expect(converted(segment, { ...row, previous_id: 'old' }, 'aliases.jsonl').calls).toMatchObject([
      { kind: 'identify', distinct_id: 'ada', properties: { anonymous_id: 'old' } },
    ]);
    expect(() => converted(segment, row, 'rows.jsonl')).toThrow('name the file after it');
  });

  it('converts messages as they were sent', () => {
    const message = { type: 'track', event: 'Paid', messageId: 'event-1', userId: 'ada', timestamp: AT };
    expect(converted(segment, message).calls).toMatchObject([{ event_id: 'event-1', event_name: 'Paid' }]);
  });
});

describe('CSV', () => {
  const mapping = documented('docs/moving-in.md#import-events', 'yaml');
  const source = csvSource(mapping, 'mapping.yaml');
  const head = 'name,user,at,key,amount,plan\n';

  it('converts records by the mapping, with lines, quotes and numbers', async () => {
    const text = `\ufeff${head}paid,ada,2025-03-01 09:30:00,e1,42.5,"pro, yearly"\nseen,grace,${AT},,,\n`;
    const records = await recordsOf(source, text);
    expect(records.map(({ line }) => line)).toEqual([2, 3]);
    const calls = records.flatMap((one) => ('record' in one ? converted(source, one.record).calls : []));
    expect(calls).toMatchObject([
      { distinct_id: 'ada', event_id: 'e1', timestamp: AT, properties: { total: 42.5 } },
      { distinct_id: 'grace', event_id: 'line-1', properties: {} },
    ]);
  });

  it('takes all other columns without a list of properties', async () => {
    const all = csvSource('{"event":"name","distinctId":"user","time":"at"}', 'mapping.json');
    const [one] = await recordsOf(all, `${head}paid,ada,${AT},e1,007,true\n`);
    expect(converted(all, one && 'record' in one ? one.record : {}).calls).toMatchObject([
      { event_id: 'line-1', properties: { key: 'e1', amount: '007', plan: true } },
    ]);
  });

  it('refuses a mapping with unknown fields, a file without a column, and an empty cell', async () => {
    expect(() => csvSource(`${mapping}\ncolour: x\n`, 'mapping.yaml')).toThrow(ManifestError);
    await expect(recordsOf(source, 'name,user\nx,y\n')).rejects.toThrow(UsageError);
    await expect(recordsOf(source, `${head}too,few\n`)).rejects.toThrow('Invalid Record Length');
    expect(() => converted(source, { name: 'paid', user: '', at: AT })).toThrow('user: empty');
  });
});

it('reads times without an offset as UTC, and refuses texts that are no time', () => {
  for (const time of ['2025-03-01 10:30:00+01:00', '2025-03-01T09:30:00', '1740821400', AT])
    expect(requireTime(time, 'at')).toBe(AT);
  for (const time of ['yesterday', '', null, true, {}, '99999999999999999'])
    expect(() => requireTime(time, 'at')).toThrow(Refused);
});

it('reads JSON lines, and names those that are no objects', async () => {
  const records = await recordsOf(posthog, '{"event":"a"}\r\n\n[1]\n{"a"\n{"event":"b"}');
  expect(records.map((one) => [one.line, 'fault' in one ? one.fault : one.record['event']])).toEqual([
    [1, 'a'],
    [3, 'not a JSON object'],
    [4, 'not JSON'],
    [5, 'b'],
  ]);
});
