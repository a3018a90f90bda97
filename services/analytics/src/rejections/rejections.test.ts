import {
  REJECTIONS_TOPIC,
  type Rejection,
  type RejectionsRecord,
  rejectionsSpec,
} from '@switchboard/contracts';
import { eventually } from '@switchboard/testkit';
import { beforeAll, expect, it } from 'vitest';
import { useAnalytics } from '../testing/service.ts';

const HOUR_MS = 3_600_000;

const analytics = await useAnalytics();
beforeAll(async () => {
  for (const id of ['shop', 'blog', 'many']) await analytics.directory.putProject({ id, members: ['ada'] });
  await analytics.log.createTopics([rejectionsSpec(1)]);
});

type Reason = RejectionsRecord['reasons'][number];
const reason = (text: string, requests: number): Reason => ({
  operation: 'ingestEvents',
  status: 400,
  reason: text,
  requests,
});

/** Publishes values, and waits until they are applied. */
async function publish(...values: unknown[]): Promise<void> {
  const records = values.map((value) => ({
    partition: 0,
    key: null,
    value: Buffer.from(JSON.stringify(value)),
    headers: {},
  }));
  await analytics.log.publish(REJECTIONS_TOPIC, records);
  await eventually(async () => {
    const lags = await analytics.log.lag('analytics.rejections', [REJECTIONS_TOPIC]);
    expect(lags.map(({ behind }) => behind)).toEqual([0n]);
  });
}

const of = (projectId: string, hoursAgo: number, ...reasons: Reason[]): RejectionsRecord => ({
  projectId,
  at: new Date(Date.now() - hoursAgo * HOUR_MS).toISOString(),
  reasons,
});

async function list(projectId: string): Promise<Rejection[]> {
  const { status, body } = await analytics.call('GET', `/v1/projects/${projectId}/rejections`);
  expect(status, JSON.stringify(body)).toBe(200);
  return (body as { rejections: Rejection[] }).rejections;
}

it('lists the reasons of the last 24 hours, most requests first, of the project alone', async () => {
  await publish(
    of('shop', 48, reason('too old', 99)),
    of('shop', 5, reason('a', 2), reason('b', 1)),
    'no counts',
    of('shop', 0, reason('b', 4)),
    of('blog', 0, reason('c', 1)),
  );
  const found = await list('shop');
  expect(found.map(({ reason: text, requests }) => [text, requests])).toEqual([
    ['b', 5],
    ['a', 2],
  ]);
  expect(Date.now() - Date.parse(found[0]?.lastAt ?? '')).toBeLessThan(HOUR_MS);
});

it('keeps at most about 100 reasons of a project and hour, and still counts those', async () => {
  const texts = Array.from({ length: 140 }, (_, n) => `reason ${n}`);
  for (let start = 0; start < texts.length; start += 20)
    await publish(of('many', 0, ...texts.slice(start, start + 20).map((text) => reason(text, 1))));
  await publish(of('many', 0, reason('reason 0', 7), reason('reason 139', 9)));
  const found = await list('many');
  expect(found).toHaveLength(50);
  expect(found[0]).toMatchObject({ reason: 'reason 0', requests: 8 });
  expect(found.map(({ reason: text }) => text)).not.toContain('reason 139');
});
