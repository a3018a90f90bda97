import { COHORTS_TOPIC, cohortKey } from '@switchboard/contracts';
import { readTopic } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { expect, it } from 'vitest';
import { useFlags } from '../testing/harness.ts';

const harness = await useFlags();

/** Returns the newest record of each cohort of a project. */
async function published(projectId: string): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  await readTopic(harness.log, COHORTS_TOPIC, {
    onRecord: ({ key, value }) => {
      const [project, id] = JSON.parse(String(key));
      if (project === projectId) found[id] = value && JSON.parse(String(value));
    },
  });
  return found;
}

it('publishes who belongs to each cohort, after each change', async () => {
  const { id: projectId } = await harness.createProject();
  const put = (id: string, body: object) =>
    harness.manage('PUT', `/projects/${projectId}/cohorts/${encodeURIComponent(id)}`, body);
  const match = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
  const id = 'beta/"1"';
  await put(id, { name: 'Never published', match, distinctIds: ['b', 'a'] });
  await put('gone', { name: 'G' });
  const record = { projectId, id, match, distinctIds: ['a', 'b'] };
  const empty = { projectId, id: 'gone', match: [], distinctIds: [] };
  await eventually(async () => expect(await published(projectId)).toEqual({ [id]: record, gone: empty }));
  await put(id, { name: 'B', distinctIds: ['c'] });
  await harness.manage('DELETE', `/projects/${projectId}/cohorts/gone`);
  const changed = { ...record, match: [], distinctIds: ['c'] };
  await eventually(async () => expect(await published(projectId)).toEqual({ [id]: changed, gone: null }));
  expect(await harness.sql`select 1 from unpublished_cohorts`).toHaveLength(0);
});

it('publishes every cohort when none ever was, or the topic lost records', async () => {
  const { id: projectId } = await harness.createProject();
  await harness.sql`insert into cohorts (project_id, id, name) values (${projectId}, 'older', 'Older')`;
  await harness.sql`delete from published_cohorts`;
  await harness.sql`insert into unpublished_cohorts (project_id, cohort_id) values (${projectId}, 'other')`;
  const older = { projectId, id: 'older', match: [], distinctIds: [] };
  await eventually(async () => expect(await published(projectId)).toMatchObject({ older }));
  await harness.sql`update published_cohorts set next_offset = 1000000`;
  await harness.sql`insert into cohorts (project_id, id, name) values (${projectId}, 'later', 'Later')`;
  await harness.sql`insert into unpublished_cohorts (project_id, cohort_id) values (${projectId}, 'other')`;
  await eventually(async () => expect(await published(projectId)).toMatchObject({ older, later: {} }));
});

it('publishes only the existence of a cohort that is too large for a record', async () => {
  const { id: projectId } = await harness.createProject();
  const distinctIds = Array.from({ length: 6000 }, (_, index) => `${index} ${'x'.repeat(180)}`);
  await harness.manage('PUT', `/projects/${projectId}/cohorts/large`, { name: 'L', distinctIds });
  const large = { projectId, id: 'large', match: [], distinctIds: null };
  await eventually(async () => expect(await published(projectId)).toEqual({ large }));
  expect(cohortKey(projectId, 'large')).toBe(JSON.stringify([projectId, 'large']));
});
