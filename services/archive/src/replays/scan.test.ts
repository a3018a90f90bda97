import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanEvents } from './scan.ts';

const scan = (events: unknown[]) => scanEvents(Buffer.from(`${JSON.stringify(events)}}`), 1);

describe('the events of a chunk', () => {
  it('are counted as JSON.parse counts them, and end where it ends', () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), (events) => {
        expect(scan(events)).toMatchObject({
          count: events.length,
          end: Buffer.byteLength(JSON.stringify(events)) - 1,
        });
      }),
    );
  });

  it('give the lowest and the highest time of the events themselves', () => {
    const time = fc.oneof(fc.nat(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.string());
    const event = fc.record(
      { data: fc.jsonValue(), timestamp: time, type: fc.nat(), 'a"\\': fc.record({ timestamp: fc.nat() }) },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const times = events
          .map(({ timestamp }) => timestamp)
          .filter((one) => typeof one === 'number' && one >= 0 && one <= 253_402_300_799_999)
          .map(Number);
        const expected =
          times.length === 0
            ? undefined
            : { first: new Date(Math.min(...times)), last: new Date(Math.max(...times)) };
        expect(scan(events)?.times).toEqual(expected);
      }),
    );
  });

  it('are not valid where a string or an array does not end', () => {
    for (const text of ['["a', '[[]', '["a\\"]', '[{}']) {
      expect(scanEvents(Buffer.from(text), 1)).toBeUndefined();
    }
  });
});
