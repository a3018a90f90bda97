import { setTimeout as sleep } from 'node:timers/promises';
import { ingestionTopics } from '@switchboard/contracts';
import { openDatabase } from '@switchboard/database';
import { median } from '../lib/median.ts';
import { decimals, thousands } from '../lib/table.ts';
import { AUTHORIZED, type Deployment } from './deployment.ts';
import { PROJECT_ID, traitsOf } from './ruleset.ts';

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

/** Measures from the log's acknowledgement of an identify (ingestion's 202) to an evaluation that uses it. */
export async function measureIdentify({ publish, service }: Deployment): Promise<void> {
  const url = `${service.url}/v1/flags/memberships?distinct_id=`;
  const waits: number[] = [];
  for (let turn = 0; turn < 50; turn++) {
    const distinct_id = `fresh-${turn}`;
    await publish(ingestionTopics.identifies, [{ distinct_id, traits: { betaTester: true } }]);
    const acknowledgedAt = performance.now();
    for (;;) {
      const response = await fetch(`${url}${distinct_id}`, { headers: AUTHORIZED });
      if ((await response.text()).includes('beta')) break;
    }
    waits.push(performance.now() - acknowledgedAt);
  }
  const sorted = waits.toSorted((a, b) => a - b);
  console.log(
    `identify to evaluation: median ${decimals(median(waits))} ms, highest ${decimals(sorted.at(-1) ?? 0)} ms of ${waits.length}`,
  );
}
