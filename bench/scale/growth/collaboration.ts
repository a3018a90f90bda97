import { PROJECT_ID } from '../../lib/project.ts';
import { ask } from './ask.ts';
import { type Dimension, sizesFrom } from './path.ts';
import { MEMBER, type Site, startSite } from './site.ts';

const RANGE = 'from=2026-03-01&to=2026-03-31';
const REPORT = 'report';
const COMMENTS = 20;

/** Varies the annotations of one project, half of them on its reports. The month that is read keeps the same ones. */
export async function annotations(): Promise<Dimension> {
  const site = await startCollaboration([REPORT]);
  await addAnnotations(site, {
    from: 0,
    count: 20,
    startsOn: `date '2026-03-01' + n`,
    report: `'${REPORT}'`,
  });
  let made = 20;
  return {
    of: 'annotations in a project',
    sizes: sizesFrom(200),
    async fill(size) {
      const startsOn = `date '2000-01-01' + n % 9000`;
      const report = `case when n % 2 = 0 then '${REPORT}' end`;
      await addAnnotations(site, { from: made, count: size - made, startsOn, report });
      made = size;
    },
    paths: [
      {
        name: 'annotations of a month',
        bound: 'constant',
        unit: 'ms',
        measure: () => read(site, `annotations?${RANGE}&reportId=${REPORT}`),
      },
    ],
    stop: site.stop,
  };
}

/** Varies the annotations of one month, all of which are returned. */
export async function listedAnnotations(): Promise<Dimension> {
  const site = await startCollaboration([REPORT]);
  let made = 0;
  return {
    of: 'annotations in the list',
    sizes: sizesFrom(10),
    async fill(size) {
      const startsOn = `date '2026-03-01' + n % 28`;
      await addAnnotations(site, { from: made, count: size - made, startsOn, report: `'${REPORT}'` });
      made = size;
    },
    paths: [
      {
        name: 'list of annotations',
        bound: 'linear',
        unit: 'ms',
        measure: () => read(site, `annotations?${RANGE}&reportId=${REPORT}`),
      },
    ],
    stop: site.stop,
  };
}

/**
 * Varies the threads of five comments on other reports. The report that is read has ten threads of twenty comments.
 */
export async function threads(): Promise<Dimension> {
  const site = await startCollaboration([REPORT]);
  await addThreads(site, { from: 0, count: 10, report: `'${REPORT}'`, comments: COMMENTS });
  let made = 10;
  return {
    of: 'threads in a project',
    sizes: sizesFrom(100),
    async fill(size) {
      await addThreads(site, { from: made, count: size - made, report: `'other-' || n % 1000`, comments: 5 });
      made = size;
    },
    paths: [
      {
        name: 'threads of a report',
        bound: 'constant',
        unit: 'ms',
        measure: () => read(site, `reports/${REPORT}/comment-threads`),
      },
    ],
    stop: site.stop,
  };
}

/** Varies the threads of twenty comments on one report, all of which are returned. */
export async function listedThreads(): Promise<Dimension> {
  const site = await startCollaboration([REPORT]);
  let made = 0;
  return {
    of: 'threads on a report',
    sizes: sizesFrom(1),
    async fill(size) {
      await addThreads(site, { from: made, count: size - made, report: `'${REPORT}'`, comments: COMMENTS });
      made = size;
    },
    paths: [
      {
        name: 'list of threads',
        bound: 'linear',
        unit: 'ms',
        measure: () => read(site, `reports/${REPORT}/comment-threads`),
      },
    ],
    stop: site.stop,
  };
}

async function startCollaboration(reports: string[]) {
  const site = await startSite('collaboration');
  await site.directory.put('report', ...reports.map((id) => ({ projectId: PROJECT_ID, id, name: id })));
  return { ...site, token: await site.harness.mint({ sub: MEMBER }) };
}

function read({ service, token }: Pick<Site, 'service'> & { token: string }, path: string): Promise<number> {
  const headers = { Authorization: `Bearer ${token}` };
  return ask(service, { path: `/v1/projects/${PROJECT_ID}/${path}`, headers });
}

interface NewAnnotations {
  from: number;
  count: number;
  /** The SQL expression for the first day of annotation `n`. */
  startsOn: string;
  /** The SQL expression for the report, or null. */
  report: string;
}

async function addAnnotations(
  { sql }: Site,
  { from, count, startsOn, report }: NewAnnotations,
): Promise<void> {
  await sql.unsafe(`
    insert into annotations
      (id, project_id, report_id, starts_on, ends_on, text, tags, created_by_sub, created_at, updated_at)
    select 'ann_' || md5(n::text), '${PROJECT_ID}', ${report}, starts_on, starts_on + 2, 'Campaign number ' || n,
      '{marketing}', '${MEMBER}', now(), now()
    from (select n, ${startsOn} as starts_on from generate_series(${from}, ${from + count - 1}) as n) as numbered`);
  await sql`vacuum analyze annotations`;
}

interface NewThreads {
  from: number;
  count: number;
  /** The SQL expression for the report of thread `n`. */
  report: string;
  /** The number of comments per thread. */
  comments: number;
}

/** Adds threads. Every second comment has a reaction. */
async function addThreads({ sql }: Site, { from, count, report, comments }: NewThreads): Promise<void> {
  const numbers = `generate_series(${from}, ${from + count - 1}) as n`;
  await sql.unsafe(`
    insert into threads (id, project_id, report_id, created_by_sub, created_at)
    select 'thr_' || md5(n::text), '${PROJECT_ID}', ${report}, '${MEMBER}',
      timestamptz '2026-03-01Z' + n * interval '1 second'
    from ${numbers}`);
  await sql.unsafe(`
    insert into comments (id, thread_id, position, body, mentions, author_sub, created_at)
    select 'cmt_' || md5(n || '/' || place), 'thr_' || md5(n::text), place, repeat('words ', 20), '{}', '${MEMBER}',
      timestamptz '2026-03-01Z' + n * interval '1 second' + place * interval '1.234 second'
    from ${numbers}, generate_series(1, ${comments}) as place`);
  await sql.unsafe(`
    insert into reactions (comment_id, emoji, sub)
    select 'cmt_' || md5(n || '/' || place), '👍', '${MEMBER}'
    from ${numbers}, generate_series(2, ${comments}, 2) as place`);
  await sql`vacuum analyze threads, comments, reactions`;
}
