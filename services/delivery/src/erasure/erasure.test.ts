import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import postgres from 'postgres';
import { afterAll, expect, it } from 'vitest';
import { useDelivery } from '../testing/harness.ts';
import { createErasureStore } from './store.ts';

const delivery = await useDelivery();
const sql = postgres(delivery.databaseUrl, { max: 1 });
const database = openDatabase({ url: delivery.databaseUrl, applicationName: 'test' });
afterAll(() => Promise.all([sql.end(), database.close()]));
const store = createErasureStore(database.drizzle);

const people = async (projectId: string) =>
  (await sql`select subject from messages where project_id = ${projectId} order by 1`).map(
    ({ subject }) => subject,
  );

it('removes the messages of a person from a project, and those of no one else', async () => {
  const receiver = await delivery.receiver();
  const [one, other] = [await delivery.createProject(), await delivery.createProject()];
  for (const { id } of [one, other]) {
    await delivery.createWebhook(id, receiver);
    await delivery.publishEvents(id, [
      { distinct_id: 'ada' },
      { distinct_id: 'ada-2' },
      { distinct_id: 'bob', properties: { friend: 'ada' } },
      { distinct_id: 'a"b' },
    ]);
    await eventually(async () => expect(await people(id)).toHaveLength(4));
  }
  await store.removeNaming(one.id, ['ada', 'a"b']);
  expect(await people(one.id)).toEqual(['ada-2']);
  expect(await people(other.id)).toHaveLength(4);
  await store.removeNamingEverywhere('ada');
  expect(await people(other.id)).toEqual(['a"b', 'ada-2']);
});

it('removes everything of a deleted project', async () => {
  const receiver = await delivery.receiver();
  const { id } = await delivery.createProject();
  await delivery.createWebhook(id, receiver);
  await delivery.publishEvents(id, [{}]);
  await eventually(async () => expect(await people(id)).toHaveLength(1));
  await store.removeOfProject(id);
  expect(await people(id)).toEqual([]);
  expect(await sql`select 1 from webhooks where project_id = ${id}`).toHaveLength(0);
});
