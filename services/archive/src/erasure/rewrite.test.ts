import { describe, expect, it } from 'vitest';
import { encodeEvents } from '../events/encode.ts';
import { archivedEvent as event } from '../testing/archived-event.ts';
import { withoutPeople } from './rewrite.ts';

const complete = { sessionId: 'visit', sentAt: 5, properties: '{"é":"\\u0000 \u{1f600}"}', context: '{}' };

describe('a file without a person', () => {
  it('is what would have been written without their events, byte for byte', async () => {
    const others = [event(0), event(2, complete), event(3, { occurredAt: -1, distinctId: 'Grace' })];
    const file = encodeEvents([...others, event(1, { distinctId: 'grace' })]);
    expect(await withoutPeople(file, new Set(['grace', 'nobody']))).toEqual(encodeEvents(others));
  });

  it('stays as it is when they are not in it', async () => {
    expect(await withoutPeople(encodeEvents([event(0)]), new Set(['grace']))).toBe('unchanged');
  });

  it('is not needed when nobody else is in it', async () => {
    const file = encodeEvents([event(0), event(1, { distinctId: 'grace' })]);
    expect(await withoutPeople(file, new Set(['grace', 'ada']))).toBe('empty');
  });
});
