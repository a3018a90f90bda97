import { ingestionTopics } from '@switchboard/contracts';
import type { Database } from '@switchboard/database';
import { call, eventually } from '@switchboard/testkit';
import { deploy } from '../../flags/deployment.ts';
import { benchFlags, traitsOf } from '../../flags/ruleset.ts';
import { AUTHORIZED, PROJECT_ID } from '../../lib/project.ts';
import { median } from '../../lib/statistics.ts';
import { ask, NUMBER } from './ask.ts';
import { type Dimension, sizesFrom } from './path.ts';
import { addProjects, digitsOf, keyHeaders } from './projects.ts';
import { openForFilling } from './site.ts';

const EVALUATION = '/v1/flags?distinct_id=ada';
const FLAGS_PER_PROJECT = 5;
const IDENTIFIES = 30;
const REPLACEMENTS = 10;

/** Varies the number of projects with a few flags each. */
export async function rulesets(): Promise<Dimension> {
  const { service, sql, stop } = await deployFlags();
  let made = 0;
  return {
    of: 'projects',
    sizes: sizesFrom(200),
    async fill(size) {
      await addProjects(sql, made, size);
      await addFlags(sql, { from: made, to: size }, FLAGS_PER_PROJECT);
      made = size;
    },
    paths: [
      {
        name: 'flags of a new project',
        bound: 'constant',
        unit: 'ms',
        // The middle of the added projects. Requests of smaller sizes were for projects before it.
        measure: (size) =>
          ask(service, { path: EVALUATION, headers: keyHeaders(NUMBER) }, Math.floor(size * 0.2)),
      },
      {
        name: 'flags of a known project',
        bound: 'constant',
        unit: 'ms',
        measure: () => ask(service, { path: EVALUATION, headers: keyHeaders(digitsOf(0)) }),
      },
    ],
    stop,
  };
}

/** Varies the number of flags in a project. Each size has a separate project. */
export async function projectFlags(): Promise<Dimension> {
  const { service, sql, stop } = await deployFlags();
  return {
    of: 'flags in a project',
    sizes: sizesFrom(1),
    async fill(size) {
      await addProjects(sql, size, size + 1);
      await addFlags(sql, { from: size, to: size + 1 }, size);
    },
    paths: [
      {
        name: 'evaluation of all flags',
        bound: 'linear',
        unit: 'ms',
        measure: (size) => ask(service, { path: EVALUATION, headers: keyHeaders(digitsOf(size)) }),
      },
      {
        name: 'snapshot, not modified',
        bound: 'constant',
        unit: 'ms',
        async measure(size) {
          const path = '/v1/flags/snapshot';
          const headers = keyHeaders(digitsOf(size));
          const etag = (await call('GET', service.url + path, { headers })).headers.get('etag') ?? '';
          return ask(service, { path, headers: { ...headers, 'If-None-Match': etag } });
        },
      },
    ],
    stop,
  };
}

/** Varies the number of listed people in a cohort. Each update replaces all of them. */
export async function cohorts(): Promise<Dimension> {
  const { service, put, stop } = await deploy();
  let made = 0;
  const replace = (size: number) => {
    const distinctIds = Array.from({ length: size }, () => `person-${made++}`);
    return put(service.url, 'cohorts/listed', { name: 'Listed', distinctIds });
  };
  return {
    of: 'people in a cohort',
    sizes: sizesFrom(10),
    fill: replace,
    paths: [
      {
        name: 'replacing a cohort',
        bound: 'linear',
        unit: 'ms',
        async measure(size) {
          const waits: number[] = [];
          for (let turn = 0; turn < REPLACEMENTS; turn++) {
            const beganAt = performance.now();
            await replace(size);
            waits.push(performance.now() - beganAt);
          }
          return median(waits);
        },
      },
    ],
    stop,
  };
}

/** Varies the number of people in one project, each with traits and a company. */
export async function people(): Promise<Dimension> {
  const deployment = await deployFlags();
  const { service, sql, publish, stop } = deployment;
  const distinctId = (digits: string) => `person-${digits}`;
  await publish(ingestionTopics.identifies, [{ distinct_id: 'original', traits: traitsOf(1) }]);
  const company = { group_type: 'company', group_id: 'company-1', traits: { seats: 20 } };
  await publish(ingestionTopics.groups, [{ distinct_id: 'original', ...company }]);
  await eventually(async () => {
    const found = await sql`select from people where distinct_id = 'original' and groups::text <> '{}'`;
    if (found.length === 0) throw new Error('the first person is not applied yet');
  });
  let made = 0;
  return {
    of: 'people',
    sizes: sizesFrom(1_000),
    async fill(size) {
      await sql`
        insert into people (project_id, distinct_id, traits, trait_stamps, groups, group_stamps)
        select project_id, 'person-' || lpad(n::text, ${NUMBER.length}::int, '0'), traits, trait_stamps, groups, group_stamps
        from people, generate_series(${made}::int, ${size - 1}::int) as n
        where project_id = ${PROJECT_ID} and distinct_id = 'original'`;
      await sql`vacuum analyze people`;
      made = size;
    },
    paths: [
      {
        name: 'evaluation of a new person',
        bound: 'constant',
        unit: 'ms',
        measure: (size) =>
          ask(
            service,
            { path: `/v1/flags?distinct_id=${distinctId(NUMBER)}`, headers: AUTHORIZED },
            Math.floor(size / 2),
          ),
      },
      {
        name: 'identify to evaluation',
        bound: 'constant',
        unit: 'ms',
        async measure(size) {
          const waits: number[] = [];
          for (let turn = 1; turn <= IDENTIFIES; turn++) {
            const person = distinctId(digitsOf(size - turn));
            await publish(ingestionTopics.identifies, [
              { distinct_id: person, traits: { betaTester: true } },
            ]);
            const storedAt = performance.now();
            const url = `${service.url}/v1/flags/memberships?distinct_id=${person}`;
            while (!(await isInCohort(url))) {
              if (performance.now() - storedAt > 10_000) throw new Error(`${person} is not in the cohort`);
            }
            waits.push(performance.now() - storedAt);
          }
          return median(waits);
        },
      },
    ],
    stop,
  };
}

async function isInCohort(url: string): Promise<boolean> {
  const { body } = await call('GET', url, { headers: AUTHORIZED });
  return JSON.stringify(body).includes('beta');
}

async function deployFlags() {
  const deployment = await deploy();
  const database = await openForFilling(await deployment.databaseUrl());
  return {
    ...deployment,
    sql: database.sql,
    async stop() {
      await database.close();
      await deployment.stop();
    },
  };
}

async function addFlags(
  sql: Database['sql'],
  { from, to }: { from: number; to: number },
  count: number,
): Promise<void> {
  const flags = benchFlags();
  const entries = Array.from({ length: count }, (_, index) => ({
    ...flags[index % flags.length],
    key: `feature-flag-${index}`,
  }));
  await sql`
    insert into flags (project_id, key, entry)
    select 'project-' || n, entry ->> 'key', entry
    from generate_series(${from}::int, ${to - 1}::int) as n,
      json_array_elements(${JSON.stringify(entries)}::text::json) as entry`;
  await sql`
    insert into rulesets (project_id, changed_at)
    select 'project-' || n, now() from generate_series(${from}::int, ${to - 1}::int) as n`;
  await sql`vacuum analyze flags, rulesets`;
}
