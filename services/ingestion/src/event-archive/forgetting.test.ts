import { eventually } from '@switchboard/testkit';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forgetOld } from './forgetting.ts';
import { type ArchiveWorld, eventIds, newProject, onPostgresAndFolder, sent } from './test-archive.ts';

let world: ArchiveWorld;
beforeAll(async () => {
  world = await onPostgresAndFolder();
});
afterAll(() => world.stop());

const count = async (table: string) => {
  const [row] = await world.database.drizzle.execute(
    sql`select count(*)::int as n from ${sql.identifier(table)}`,
  );
  return row?.['n'];
};

it('an event is taken for new after seven days, and no sooner', async () => {
  const projectId = newProject();
  const [one, other] = [sent({ distinct_id: 'one' }), sent({ distinct_id: 'one' })];
  const archive = world.archive();
  archive.start();
  await world.publish(projectId, [one, other]);
  await world.publish(projectId, [one]);
  await world.allCommitted();
  await eventually(async () => expect(await count('archive_sightings')).toBe(2));
  await world.database.drizzle.execute(sql`
    update archive_sightings set seen_at = now() - interval '1 day' * case log_line when 0 then 8 else 6 end`);
  expect(await forgetOld(world.database, { retentionHours: 168 })).toBe(1);
  expect(await count('archive_sightings')).toBe(1);
  expect(await count('archive_duplicates')).toBe(1);
  await world.publish(projectId, [one, other]);
  await world.allCommitted();
  expect(eventIds(await world.rows(projectId))).toHaveLength(3);
  await archive.stop();
});

it('segments stay as long as the log may have their records', async () => {
  const before = Number(await count('archive_segments'));
  expect(before).toBeGreaterThan(0);
  await world.database.drizzle.execute(
    sql`update archive_segments set created_at = now() - interval '37 days'`,
  );
  await forgetOld(world.database, { retentionHours: 168 });
  expect(await count('archive_segments')).toBe(before);
  await world.database.drizzle.execute(
    sql`update archive_segments set created_at = now() - interval '39 days'`,
  );
  await forgetOld(world.database, { retentionHours: 168 });
  expect(await count('archive_segments')).toBe(0);
});

it('more than a statement removes goes in several', async () => {
  await world.database.drizzle.execute(sql`
    insert into archive_sightings (event_key, log_partition, log_offset, log_line, accepted_at, seen_at)
    select gen_random_uuid(), 0, i, 0, now(), now() - interval '8 days' from generate_series(1, 12000) as i`);
  expect(await forgetOld(world.database, { retentionHours: 168 })).toBe(12_000);
});
