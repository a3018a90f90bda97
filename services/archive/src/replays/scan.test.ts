import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanEvents } from './scan.ts';

const scan = (events: unknown[]) => scanEvents(Buffer.from(`${JSON.stringify(events)}}`), 1, 'project');

describe('the events of a chunk', () => {
  it('counts events as JSON.parse does, and ends at their end', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.jsonValue()), async (events) => {
        expect(await scan(events)).toMatchObject({
          count: events.length,
          end: Buffer.byteLength(JSON.stringify(events)) - 1,
        });
      }),
    );
  });

  it('finds the lowest and the highest time of the events themselves', async () => {
    const time = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string());
    const event = fc.record(
      { data: fc.jsonValue(), timestamp: time, type: fc.nat(), 'a"\\': fc.record({ timestamp: fc.nat() }) },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(event), async (events) => {
        const times = events
          .map(({ timestamp }) => timestamp)
          .filter((one) => typeof one === 'number' && one >= 0 && one <= 253_402_300_799_999)
          .map(Number);
        const expected =
          times.length === 0
            ? undefined
            : { first: new Date(Math.min(...times)), last: new Date(Math.max(...times)) };
        expect((await scan(events))?.times).toEqual(expected);
      }),
    );
  });

  it('counts events, and reads their times, with white space anywhere', async () => {
    const events = [{ timestamp: 7, data: [1, { timestamp: 1 }] }, null, { data: {}, timestamp: 3 }];
    const text = ` ${JSON.stringify(events, null, 2).replaceAll(':', ' : ').slice(1)} }`;
    expect(await scanEvents(Buffer.from(text), 1, 'project')).toEqual({
      count: 3,
      times: { first: new Date(3), last: new Date(7) },
      facts: { pages: [], eventNames: [], errors: 0 },
      end: text.length - 3,
    });
  });

  it('finds the type of an event after its data, and parses no large event for facts', async () => {
    const page = (href: string, more = '') => ({ data: { type: 2, href, more }, type: 4 });
    const events = [page('https://a.example/1?q=1'), page('https://a.example/2', 'x'.repeat(20_000))];
    expect((await scan(events))?.facts.pages).toEqual(['https://a.example/1']);
  });

  it('rejects events with a string or an array that does not end', async () => {
    for (const text of ['["a', '[[]', '["a\\"]', '[{}']) {
      expect(await scanEvents(Buffer.from(text), 1, 'project')).toBeUndefined();
    }
  });
});
