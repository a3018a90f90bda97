import { openDatabase } from '@switchboard/database';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunkOf, newSession } from '../testing/recording.ts';
import { replayRecords } from '../testing/records.ts';
import { type ArchiveHarness, PARTITIONS, PROJECT, startArchive } from '../testing/service.ts';
import { gapsBetween } from './recordings.ts';

let archive: ArchiveHarness;
beforeAll(async () => {
  archive = await startArchive();
});
afterAll(() => archive.stop());

const event = (timestamp: number, text = '') => ({ type: 3, data: { text }, timestamp });

describe('the manifest', () => {
  it('keeps two chunks of one seq in the manifest, plays the earlier first, and counts a conflict', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, 0, [event(3000, 'of the second tab')]));
    await archive.send(chunkOf(session, 0, [event(1000, 'of the first tab')]));
    await archive.send(chunkOf(session, 1, [event(4000)]));
    const manifest = await archive.until(session, { chunks: 3 });
    expect(manifest).toMatchObject({ conflicts: 1, duplicates: 0, missing: 0, complete: true });
    expect(await archive.events(session)).toEqual([
      event(1000, 'of the first tab'),
      event(3000, 'of the second tab'),
      event(4000),
    ]);
  });

  it('lists the seqs missing before the first, however high the first is', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, Number.MAX_SAFE_INTEGER, [event(1)]));
    await archive.send(chunkOf(session, 2, [event(0)]));
    const manifest = await archive.until(session, { chunks: 2 });
    expect(manifest.complete).toBe(false);
    expect(manifest.missing).toBe(Number.MAX_SAFE_INTEGER - 1);
    expect(manifest.gaps).toEqual([
      { from: 0, to: 1 },
      { from: 3, to: Number.MAX_SAFE_INTEGER - 1 },
    ]);
  });

  it('reports a session as masked only when every chunk is, and lists the people it shows', async () => {
    const session = newSession();
    await archive.send(chunkOf(session, 0, [event(1)], { distinct_id: 'anonymous' }));
    expect((await archive.until(session, { chunks: 1 })).masked).toBe(true);
    await archive.send(chunkOf(session, 1, [event(2)], { masked: false, distinct_id: 'grace' }));
    const manifest = await archive.until(session, { chunks: 2 });
    expect(manifest).toMatchObject({ masked: false, distinctIds: ['anonymous', 'grace'] });
  });

  it('corrects the times of the manifest like those of events, and keeps the events as sent', async () => {
    const session = newSession();
    const events = [event(Date.parse('2027-03-01T09:29:58Z')), event(Date.parse('2027-03-01T09:29:59Z'))];
    const ahead = -365 * 86_400_000;
    const records = replayRecords(PROJECT, chunkOf(session, 0, events), PARTITIONS);
    for (const { headers } of records) headers['correction'] = String(ahead);
    await archive.log.publish('replays', records);
    expect(await archive.until(session, { chunks: 1 })).toMatchObject({
      firstAt: '2026-03-01T09:29:58.000Z',
      lastAt: '2026-03-01T09:29:59.000Z',
    });
    expect(await archive.events(session)).toEqual(events);
  });

  it('uses the time of a chunk without a valid event time', async () => {
    const session = newSession();
    const events = [
      'packed by the recorder',
      null,
      { timestamp: 'noon' },
      { timestamp: -1 },
      { timestamp: 1e300 },
    ];
    await archive.send(chunkOf(session, 0, events, { timestamp: '0001-01-01T00:00:00Z' }));
    await archive.send(chunkOf(session, 1, [], { timestamp: '2026-03-01T10:00:00+01:00' }));
    const manifest = await archive.until(session, { chunks: 2, events: 5 });
    expect(manifest.firstAt).toBe('2026-03-01T09:00:00.000Z');
    expect(await archive.events(session)).toEqual(events);
  });

  it.each([
    ['slashes', '../../a/b'],
    ['dots at both ends', '.x.'],
    ['200 characters of four bytes', '\u{1f600}'.repeat(200)],
    ['a quote, a marker and a line feed', '"events":["\\\n'],
  ])('builds the manifest of a session id with %s', async (_, id) => {
    const session = id;
    await archive.send(chunkOf(session, 0, [event(1)], { distinct_id: id, sdk: '"events":[' }));
    expect(await archive.until(session, { chunks: 1 })).toMatchObject({ sessionId: id, distinctIds: [id] });
    expect(await archive.events(session)).toEqual([event(1)]);
    expect((await archive.manage('DELETE', archive.path(session))).status).toBe(204);
    expect((await archive.manage('GET', archive.path(session))).status).toBe(404);
  });

  it('reports gaps exactly between the spans', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(30), { minLength: 1 }), (seqs) => {
        const sorted = seqs.toSorted((a, b) => a - b);
        const gaps = gapsBetween(sorted.map((seq) => ({ from: seq, to: seq })));
        const inGaps = gaps.flatMap(({ from, to }) =>
          Array.from({ length: to - from + 1 }, (_, i) => from + i),
        );
        expect([...inGaps, ...sorted].sort((a, b) => a - b)).toEqual(
          Array.from({ length: (sorted.at(-1) ?? 0) + 1 }, (_, i) => i),
        );
      }),
    );
  });
});

describe('the list of sessions', () => {
  it('lists sessions from the newest to the oldest, of all people or of one', async () => {
    const sessions = Array.from({ length: 53 }, newSession);
    for (const [index, session] of sessions.entries()) {
      const more = { distinct_id: index % 2 === 0 ? 'even' : 'odd' };
      await archive.send(chunkOf(session, 0, [event(index)], more));
    }
    await Promise.all(sessions.map((session) => archive.until(session, { chunks: 1 })));
    const all = await pages('');
    expect(all.filter((id) => sessions.includes(id)).toSorted()).toEqual(sessions.toSorted());
    expect(new Set(all).size).toBe(all.length);
    const even = await pages('distinct_id=even&');
    expect(even.toSorted()).toEqual(sessions.filter((_, index) => index % 2 === 0).toSorted());
    expect(await pages('distinct_id=nobody&')).toEqual([]);
  });

  async function pages(query: string): Promise<string[]> {
    const found: { sessionId: string; receivedAt: string }[] = [];
    for (let cursor = ''; ; ) {
      const answer = await archive.manage('GET', `project-1/replays?${query}${cursor}`);
      expect(answer.status).toBe(200);
      const page = (await answer.json()) as { replays: typeof found; nextCursor: string | null };
      expect(page.replays.length).toBeLessThanOrEqual(50);
      found.push(...page.replays);
      if (page.nextCursor === null) break;
      cursor = `cursor=${page.nextCursor}`;
    }
    const times = found.map(({ receivedAt }) => receivedAt);
    expect(times).toEqual(times.toSorted().toReversed());
    return found.map(({ sessionId }) => sessionId);
  }

  it('rejects an invalid cursor', async () => {
    for (const cursor of ['x', Buffer.from('["2026-03-01T09:30:00.000Z"]').toString('base64url')]) {
      const answer = await archive.manage('GET', `project-1/replays?cursor=${cursor}`);
      expect(answer.status).toBe(400);
      expect(await answer.json()).toMatchObject({ error: { message: expect.stringMatching(/^cursor: /) } });
    }
  });

  it('reads only the rows of a page of the list, however many sessions there are', async () => {
    const { sql, close } = openDatabase({
      url: archive.databaseUrl,
      applicationName: 'test',
      statementTimeoutMs: 60_000,
    });
    await sql`
      insert into replays (project_id, session_id, received_at, deleted_at)
      select 'many', 's' || n, timestamptz '2026-01-01' + n * interval '1 minute', case when n % 7 = 0 then now() end
      from generate_series(1, 20000) n`;
    await sql`
      insert into replay_people (project_id, session_id, distinct_id, received_at)
      select project_id, session_id, 'person-' || (extract(epoch from received_at)::bigint % 3), received_at
      from replays where project_id = 'many' and deleted_at is null`;
    await sql`analyze replays, replay_people`;
    const place = sql`(received_at, session_id) < ('2026-01-08T00:00:00Z'::timestamptz, 's9')`;
    const [everybody] = await sql`
      explain (analyze, format json) select * from replays
      where project_id = 'many' and deleted_at is null and ${place}
      order by received_at desc, session_id desc limit 51`;
    const [person] = await sql`
      explain (analyze, format json) select r.* from replay_people p
      join replays r on r.project_id = p.project_id and r.session_id = p.session_id
      where p.project_id = 'many' and p.distinct_id = 'person-0'
      and (p.received_at, p.session_id) < ('2026-01-08T00:00:00Z'::timestamptz, 's9')
      order by p.received_at desc, p.session_id desc limit 51`;
    for (const plan of [everybody, person]) expect(rowsRead(plan?.['QUERY PLAN'])).toBeLessThanOrEqual(110);
    await close();
  });
});

/** Returns the number of rows that the scans of a plan touched. */
function rowsRead(plan: unknown): number {
  const text = JSON.stringify(plan);
  expect(text).not.toContain('Seq Scan');
  const nodes = JSON.parse(text) as { Plan: PlanNode }[];
  const count = (node: PlanNode): number =>
    (node.Plans ?? []).reduce(
      (sum, one) => sum + count(one),
      node['Node Type'].includes('Scan')
        ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
        : 0,
    );
  return nodes.reduce((sum, { Plan }) => sum + count(Plan), 0);
}

interface PlanNode {
  'Node Type': string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}
