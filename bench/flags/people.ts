import { setTimeout as sleep } from 'node:timers/promises';
import { ingestionTopics } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { PROJECT_ID } from '../lib/project.ts';
import { decimals, thousands } from '../lib/table.ts';
import type { Deployment } from './deployment.ts';
import { traitsOf } from './ruleset.ts';

/** The number of people who are requested repeatedly. */
export const USERS = 10_000;

/** The number of people who are requested once. Their ids are `once-` and a number of `ONCE_DIGITS` digits. */
export const ONCE = 1_000_000;
export const ONCE_DIGITS = 7;

/** Publishes traits and a company for every user, and prints how fast the service applies them. */
export async function fillUserState(deployment: Deployment): Promise<void> {
  const users = Array.from({ length: USERS }, (_, user) => user);
  const identifies = users.map((user) => ({ distinct_id: `user-${user}`, traits: traitsOf(user) }));
  const groups = users.map((user) => ({
    distinct_id: `user-${user}`,
    group_type: 'company',
    group_id: `company-${user % 500}`,
    traits: { seats: user % 50 },
  }));
  const beganAt = performance.now();
  await Promise.all([
    deployment.publish(ingestionTopics.identifies, identifies),
    deployment.publish(ingestionTopics.groups, groups),
  ]);
  const publishedAt = performance.now();
  const { identifies: identifyTopic, groups: groupTopic } = ingestionTopics;
  for (;;) {
    const lag = await deployment.log.lag('flags.user-state', [identifyTopic, groupTopic]);
    if (lag.every(({ behind }) => behind === 0n)) break;
    await sleep(20);
  }
  const seconds = (performance.now() - beganAt) / 1000;
  console.log(
    `user state: ${thousands((2 * USERS) / seconds)} records/s from the first publish to the last one applied ` +
      `(published after ${decimals(publishedAt - beganAt, 0)} ms)`,
  );
}

/** Copies the users' states to the people who are requested once, bypassing the event log. */
export async function fillPeopleAskedOnce({ databaseUrl }: Deployment): Promise<void> {
  const database = openDatabase({
    url: await databaseUrl(),
    applicationName: 'bench',
    statementTimeoutMs: 600_000,
  });
  await database.sql`
    insert into people (project_id, distinct_id, traits, trait_stamps, groups, group_stamps)
    select ${PROJECT_ID}, 'once-' || lpad(n::text, ${ONCE_DIGITS}::int, '0'), traits, trait_stamps, groups, group_stamps
    from generate_series(0, ${ONCE - 1}::int) as n
    join people on project_id = ${PROJECT_ID} and distinct_id = 'user-' || (n % ${USERS}::int)`;
  await database.sql`vacuum analyze people`;
  await database.close();
}
