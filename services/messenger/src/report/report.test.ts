import { conversationReport } from '@switchboard/contracts';
import { testMember } from '@switchboard/directory/testing';
import { beforeAll, expect, test } from 'vitest';
import { useMessenger } from '../testing/messenger.ts';
import type { TestProject } from '../testing/projects.ts';

const messenger = await useMessenger({ limits: { reportsPerMember: 20 } });
let project: TestProject;
let ada: string;

beforeAll(async () => {
  project = await messenger.createProject();
  await messenger.directory.put('member', testMember(project.companyId, 'ada', { role: 'support' }));
  ada = await messenger.mint({ sub: 'ada' });
  const { sql } = messenger.database;
  const rows = [
    // Opened on 1 March in UTC, and on 2 March in Berlin.
    ['cnv_a', '2026-03-01T23:30:00Z', '2026-03-01T23:40:00Z'],
    ['cnv_b', '2026-03-02T10:00:00Z', '2026-03-02T10:20:00Z'],
    ['cnv_c', '2026-03-04T10:00:00Z', null],
  ];
  for (const [id = '', createdAt = '', firstReplyAt = null] of rows)
    await sql`insert into conversations (id, project_id, distinct_id, user_verified, token_hash, token_expires_at,
        created_at, last_turn_at, first_reply_at)
      values (${id}, ${project.id}, 'd', false, '', now(), ${createdAt}, ${createdAt}, ${firstReplyAt})`;
  const resolutions = [
    ['cnv_a', '2026-03-02T01:30:00Z', '2026-03-01T23:30:00Z', 5, '2026-03-02T02:00:00Z'],
    ['cnv_a', '2026-03-03T12:00:00Z', '2026-03-03T11:00:00Z', 2, '2026-03-03T12:05:00Z'],
    ['cnv_b', '2026-03-02T11:00:00Z', '2026-03-02T10:00:00Z', null, null],
  ] as const;
  for (const [id, resolvedAt, openedAt, score, ratedAt] of resolutions)
    await sql`insert into conversation_resolutions (conversation_id, project_id, resolved_at, opened_at, score, rated_at)
      values (${id}, ${project.id}, ${resolvedAt}, ${openedAt}, ${score}, ${ratedAt})`;
});

const report = (query: string, token = ada) =>
  messenger.call('GET', `/v1/projects/${project.id}/conversation-report?${query}`, { token });

test('reports volume, medians and ratings by day of the time zone', async () => {
  const { status, body } = await report('from=2026-03-01&to=2026-03-04&timezone=Europe/Berlin');
  expect(status).toBe(200);
  const { volume, times, satisfaction } = conversationReport.parse(body);
  expect(volume).toMatchObject({
    kind: 'bar',
    buckets: ['2026-03-01', '2026-03-02', '2026-03-03', '2026-03-04'],
    series: [
      { name: 'Opened', values: [0, 2, 0, 1] },
      { name: 'Resolved', values: [0, 2, 1, 0] },
      { name: 'Rated', values: [0, 1, 1, 0] },
    ],
  });
  expect(times).toMatchObject({
    kind: 'line',
    unit: 'minutes',
    series: [
      { name: 'First reply', values: [null, 15, null, null], total: 15 },
      { name: 'Resolution', values: [null, 90, 60, null], total: 60 },
    ],
  });
  expect(satisfaction).toMatchObject({
    series: [{ name: 'Average rating', values: [null, 5, 2, null], total: 3.5 }],
  });
});

test('counts by the days of UTC without a time zone, and nothing of other projects', async () => {
  const { body } = await report('from=2026-03-01&to=2026-03-02');
  expect(body.volume.series[0].values).toEqual([1, 1]);
  const other = await messenger.createProject();
  const { status } = await messenger.call(
    'GET',
    `/v1/projects/${other.id}/conversation-report?from=2026-03-01&to=2026-03-02`,
    { token: ada },
  );
  expect(status).toBe(403);
});

test.each([
  ['to: before from; must be the same day or later', 'from=2026-03-02&to=2026-03-01'],
  ['to: more than 92 days; use a shorter range', 'from=2026-01-01&to=2026-04-03'],
  ['timezone: not an IANA time zone', 'from=2026-03-01&to=2026-03-02&timezone=Mars/Olympus'],
])('is refused: %s', async (message, query) => {
  const { status, body } = await report(query);
  expect([status, body.error.message]).toEqual([400, message]);
});

test('is limited for each member', async () => {
  const statuses = [];
  for (let count = 0; count < 21; count += 1)
    statuses.push((await report('from=2026-03-01&to=2026-03-02')).status);
  expect(statuses).toContain(429);
});
