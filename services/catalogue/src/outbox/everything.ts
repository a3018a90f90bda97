import { type DirectoryRecord, directoryRecord } from '@switchboard/directory';
import { sql } from 'drizzle-orm';
import type { Tx } from '../db.ts';
import { companies, members, outbox, plans, projectKeys, projects, reports } from '../schema.ts';

/**
 * Every entry of the directory as it is now, but those of which a change waits in the outbox, whose last is as the
 * entry is. Nobody changes an entry before the transaction ends, so that what comes later has a greater revision.
 */
export async function readEverything(tx: Tx): Promise<DirectoryRecord[]> {
  await tx.execute(
    sql`lock table ${plans}, ${companies}, ${members}, ${projects}, ${projectKeys}, ${reports} in share mode`,
  );
  const waiting = await tx.selectDistinct({ key: outbox.key }).from(outbox);
  const isWaiting = new Set(waiting.map(({ key }) => key));
  const everything = [
    ...(await tx.select().from(plans)).map(({ tier, cycle, entitlements }) =>
      directoryRecord('plan', { tier, cycle, entitlements: JSON.parse(entitlements) }),
    ),
    ...(await tx.select().from(companies)).map(({ id, name, tier, cycle, entitlements }) =>
      directoryRecord('company', {
        id,
        name,
        plan: { tier, cycle },
        entitlements: JSON.parse(entitlements),
      }),
    ),
    ...(await tx.select().from(members)).map((member) =>
      directoryRecord('member', { ...member, pushSubscriptions: JSON.parse(member.pushSubscriptions) }),
    ),
    ...(await tx.select().from(projects)).map((project) => directoryRecord('project', project)),
    ...(await tx.select().from(projectKeys)).map((key) => directoryRecord('key', key)),
    ...(await tx.select().from(reports)).map((report) => directoryRecord('report', report)),
  ];
  return everything.filter(({ key }) => !isWaiting.has(key));
}
