import { anyEvents } from '@switchboard/contracts/testing';
import { createMetrics } from '@switchboard/runtime';
import { eventually } from '@switchboard/testkit';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { eventIds, newProject, onEachBacking, quick, sent } from '../testing/events-harness.ts';
import { recordsOn } from '../testing/log.ts';

onEachBacking('the event consumer', ({ harness, run, running }) => {
  it('archives every event once, as sent, with its place in the log', async () => {
    run();
    const projectId = newProject();
    const all = [];
    for (let batch = 0; batch < 5; batch++) {
      const events = Array.from({ length: 40 }, (_, i) =>
        sent({ properties: { batch, i, text: 'é👩‍🚀' }, session_id: i % 2 === 0 ? null : `s${i}` }),
      );
      all.push(...events);
      await harness.publish(projectId, events);
    }
    await harness.allCommitted();
    const rows = await harness.rows(projectId);
    expect(eventIds(rows).sort()).toEqual(all.map((one) => one.event_id).sort());
    for (const row of rows) {
      const one = all.find(({ event_id }) => event_id === row['event_id']);
      expect(row).toMatchObject({
        project_id: projectId,
        distinct_id: one?.distinct_id,
        session_id: one?.session_id,
        occurred_at: '2026-03-01 09:30:00+00',
      });
      expect(JSON.parse(String(row['properties']))).toEqual(one?.properties);
    }
    const places = rows.map((row) => `${row['log_partition']} ${row['log_offset']} ${row['log_line']}`);
    expect(new Set(places).size).toBe(rows.length);
  });

  it('archives any valid batch completely', async () => {
    run();
    await fc.assert(
      fc.asyncProperty(anyEvents, async (events) => {
        const projectId = newProject();
        await harness.publish(projectId, events);
        await harness.allCommitted();
        const ids = new Set(events.map((one) => one.event_id));
        expect(eventIds(await harness.rows(projectId)).sort()).toEqual([...ids].sort());
      }),
      { numRuns: 5 },
    );
  });

  it('drops duplicates in the same file, in a later one and on another partition', async () => {
    run();
    const projectId = newProject();
    const twice = Array.from({ length: 30 }, () => sent());
    await harness.publish(projectId, twice);
    await harness.publish(projectId, twice.slice(0, 10));
    await harness.allCommitted();
    await harness.publish(
      projectId,
      twice.map((one) => ({ ...one, distinct_id: `other-${one.distinct_id}` })),
    );
    // The same id in another project is a different event.
    const other = newProject();
    await harness.publish(other, twice);
    await harness.allCommitted();
    const ids = twice.map((one) => one.event_id).sort();
    expect(eventIds(await harness.rows(projectId)).sort()).toEqual(ids);
    expect(eventIds(await harness.rows(other)).sort()).toEqual(ids);
  });

  it('writes a folder per day of arrival, whatever the times of the events', async () => {
    run({ settings: { ...quick, fileAgeMs: 300 } });
    const projectId = newProject();
    const one = 'the-same-person';
    const years = Array.from({ length: 200 }, (_, i) => `${1970 + i}-01-01T00:00:00.000Z`);
    await harness.publish(
      projectId,
      years.map((timestamp) => sent({ timestamp, distinct_id: one })),
      new Date('2026-11-20T23:59:59.999Z'),
    );
    await harness.publish(projectId, [sent({ distinct_id: one })], new Date('2026-11-21T00:00:00.000Z'));
    await harness.allCommitted();
    const folders = (await harness.files(projectId)).map((key) => key.split('/').slice(0, 2).join('/'));
    expect(new Set(folders)).toEqual(new Set(['events/2026-11-20', 'events/2026-11-21']));
    expect((await harness.files(projectId)).length).toBeLessThanOrEqual(3);
  });

  it('writes a file early when it is large enough or memory is full', async () => {
    run({ settings: { fileBytes: 100_000, fileAgeMs: 3_600_000, bufferBytes: 150_000 } });
    const projectId = newProject();
    const large = () => sent({ distinct_id: 'one', properties: { text: 'x'.repeat(60_000) } });
    for (let i = 0; i < 4; i++) await harness.publish(projectId, [large()]);
    // The remaining events are below the file size and wait for their age. Another consumer takes them over.
    await eventually(async () => expect((await harness.rows(projectId)).length).toBeGreaterThanOrEqual(2), {
      withinMs: 20_000,
    });
    await Promise.all(running.splice(0).map((consumer) => consumer.stop()));
    run();
    await harness.allCommitted();
    expect(await harness.rows(projectId)).toHaveLength(4);
  });

  it('archives each event once when worker threads die', async () => {
    let uses = 0;
    let deaths = 0;
    run({
      threads: {
        use(work) {
          if (uses++ % 2 === 1 || deaths === 3) return harness.threads.use(work);
          const killing = new AbortController();
          return harness.threads.use((thread) => {
            const done = work(thread);
            deaths++;
            killing.abort(new Error('killed'));
            return done;
          }, killing.signal);
        },
      },
    });
    const projectId = newProject();
    const all = Array.from({ length: 60 }, () => sent());
    for (let start = 0; start < 60; start += 20)
      await harness.publish(projectId, all.slice(start, start + 20));
    await harness.allCommitted();
    expect(eventIds(await harness.rows(projectId)).sort()).toEqual(all.map((one) => one.event_id).sort());
    expect(deaths).toBe(3);
  });

  it('dead-letters lines that it cannot decode, and keeps the lines around them', async () => {
    run();
    const projectId = newProject();
    const good = [sent(), sent()];
    const line = (event: object) => JSON.stringify({ ...event, occurred_at: '2026-03-01T09:30:00.000Z' });
    const headers = { project: projectId, received_at: new Date().toISOString() };
    const lines = [line(good[0] ?? {}), '{"event_id":"broken', line({ ...sent(), timestamp: 'yesterday' })];
    const [before = 0n] = await harness.log.endOffsets('events.dead-letter');
    await harness.log.publish('events', [
      {
        partition: 0,
        key: projectId,
        value: Buffer.from([...lines, line(good[1] ?? {})].join('\n')),
        headers,
      },
      { partition: 0, key: projectId, value: Buffer.from(line(sent())), headers: { project: projectId } },
      { partition: 0, key: projectId, value: null, headers },
      { partition: 0, key: projectId, value: Buffer.from([0x7b, 0xff, 0x7d]), headers },
    ]);
    await harness.allCommitted();
    expect(eventIds(await harness.rows(projectId)).sort()).toEqual(good.map((one) => one.event_id).sort());
    const letters = await recordsOn(harness.log, 'events.dead-letter', [before]);
    // Reasons are logged, so they quote nothing from the line.
    expect(
      letters.filter(({ partition }) => partition === 0).map(({ headers: of }) => of['dead-letter-reason']),
    ).toEqual([
      'not JSON',
      expect.stringMatching(/^timestamp: /),
      'header received_at: not an RFC 3339 date-time',
      'value: missing',
      'not UTF-8',
    ]);
  });

  it('counts events, duplicates and dead letters, and reports the age of the oldest record', async () => {
    const metrics = createMetrics('archive');
    const value = async (name: string) => {
      const line = (await metrics.registry.metrics()).split('\n').find((one) => one.startsWith(`${name}{`));
      return Number(line?.split(' ').at(-1));
    };
    const slow = run({ metrics, settings: { ...quick, fileAgeMs: 3_600_000 } });
    const projectId = newProject();
    const one = sent({ distinct_id: 'one' });
    await harness.publish(projectId, [one, sent({ distinct_id: 'one' })]);
    await harness.publish(projectId, [one]);
    await eventually(async () => {
      expect(await value('switchboard_archive_buffered_bytes')).toBeGreaterThan(300);
      expect(await value('switchboard_archive_oldest_unarchived_seconds')).toBeGreaterThan(0);
    });
    expect(await value('switchboard_archive_events_total')).toBe(0);
    await slow.stop();
    expect(await value('switchboard_archive_buffered_bytes')).toBe(0);

    const other = createMetrics('archive');
    run({ metrics: other });
    const headers = { project: projectId, received_at: new Date().toISOString() };
    await harness.log.publish('events', [{ partition: 0, key: projectId, value: Buffer.from('{'), headers }]);
    await harness.allCommitted();
    const counted = await other.registry.metrics();
    expect(counted).toMatch(/^switchboard_archive_events_total\{.*\} 2$/m);
    expect(counted).toMatch(/^switchboard_archive_duplicates_total\{.*\} 1$/m);
    expect(counted).toMatch(/^switchboard_archive_dead_letters_total\{.*\} 1$/m);
    expect(counted).toMatch(/^switchboard_archive_oldest_unarchived_seconds\{.*\} 0$/m);
  });
});
