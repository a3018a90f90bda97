import { type RejectionsRecord, rejectionsRecord } from '@switchboard/contracts';
import { Rejection } from '@switchboard/http';
import { eventually } from '@switchboard/testkit';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROJECT, startIngestion, type TestIngestion } from '../testing/service.ts';
import { reasonOf } from './reason.ts';
import { createRejections } from './rejections.ts';

describe('the reason of a rejection', () => {
  it('contains neither indexes nor values that the client sent', () => {
    expect(reasonOf('events[12].timestamp: not an RFC 3339 date-time')).toBe(
      'events[].timestamp: not an RFC 3339 date-time',
    );
    expect(reasonOf('unknown property "secret of Ada"')).toBe('unknown property "…"');
    expect(reasonOf(`a\u0000b${'x'.repeat(1_000)}`)).toHaveLength(200);
  });
});

describe('counts of rejected requests', () => {
  function counting() {
    const published: unknown[] = [];
    const rejections = createRejections({
      log: {
        createTopics: async () => undefined,
        publish: async (_, records) => {
          published.push(...records.map(({ value }) => rejectionsRecord.parse(JSON.parse(String(value)))));
          return { offsetOf: () => 0n };
        },
      },
      clock: { now: () => new Date('2026-03-01T12:00:00.000Z') },
      logger: { failed: () => undefined },
      replication: 1,
    });
    const add = (projectId: string, message: string) =>
      rejections.add({
        projectId,
        operationId: 'ingestEvents',
        rejection: new Rejection(400, 'BAD_REQUEST', message),
      });
    return { published, add, stop: rejections.stop };
  }

  it('are published by project and reason', async () => {
    const { published, add, stop } = counting();
    for (const index of [0, 1]) add('shop', `events[${index}].event_id: required`);
    add('shop', 'body: not JSON');
    add('blog', 'body: not JSON');
    await stop();
    const reason = { operation: 'ingestEvents', status: 400 };
    const at = '2026-03-01T12:00:00.000Z';
    expect(published).toEqual([
      {
        projectId: 'shop',
        at,
        reasons: [
          { ...reason, reason: 'events[].event_id: required', requests: 2 },
          { ...reason, reason: 'body: not JSON', requests: 1 },
        ],
      },
      { projectId: 'blog', at, reasons: [{ ...reason, reason: 'body: not JSON', requests: 1 }] },
    ]);
  });

  it('are bounded: the 21st reason of a project counts as another, and the 1,001st project as none', async () => {
    const { published, add, stop } = counting();
    for (let n = 0; n < 100; n++) add('shop', `reason ${n}`);
    for (let n = 0; n < 2_000; n++) add(`project ${n}`, 'body: not JSON');
    await stop();
    expect(published).toHaveLength(1_000);
    const [shop] = published.map((one) => rejectionsRecord.parse(one));
    expect(shop?.reasons).toHaveLength(21);
    expect(shop?.reasons.at(-1)).toMatchObject({ reason: 'other reasons', requests: 80 });
  });
});

describe('a rejected request', () => {
  let ingestion: TestIngestion;
  beforeAll(async () => {
    ingestion = await startIngestion();
  });
  afterAll(() => ingestion?.stop());

  it('is published with the project of its key, and none without a valid key', async () => {
    await ingestion.post('/v1/events', { sent_at: 'yesterday', events: [] });
    await ingestion.post('/v1/identify', 'no JSON');
    await ingestion.post('/v1/events', {}, { Authorization: `Bearer pk_eu_${'x'.repeat(32)}` });
    // The requests may be counted in two records.
    const found: RejectionsRecord[] = [];
    await eventually(async () => {
      const records = await ingestion.published('rejections');
      found.push(...records.map(({ value }) => rejectionsRecord.parse(JSON.parse(String(value)))));
      expect(new Set(found.map(({ projectId }) => projectId))).toEqual(new Set([PROJECT]));
      expect(found.flatMap(({ reasons }) => reasons)).toMatchObject([
        { operation: 'ingestEvents', status: 400, requests: 1 },
        { operation: 'identify', status: 400, requests: 1 },
      ]);
    });
  });
});
