import { openDatabase } from '@switchboard/database';
import { eventually } from '@switchboard/testkit';
import type { Analytics } from './analytics.ts';
import { DAY_MS, dayOf, FIRST_DAY, LARGE } from './files.ts';

const QUESTIONS = 50;
const WITHIN_MS = 600_000;
/** Each with its share of a person's events. */
const EVENTS = [
  ['product added', 4 / 31],
  ['checkout begun', 8 / 31],
  ['order placed', 16 / 31],
] as const;
/** A person's events a day: each has a hundred in the ninety days. */
const EVENTS_A_DAY = 100 / 90;
const WINDOWS = [7, 14, 30, 60, 90];
/** Each with the share of events that match. */
const WHERE = [
  [[], 1] as const,
  ...['free', 'starter', 'pro', 'team'].map(
    (plan) => [[{ attribute: 'plan', op: 'eq', value: plan }], 1 / 4] as const,
  ),
  ...['iOS', 'Android', 'Windows'].map(
    (os) => [[{ attribute: 'context.os', op: 'eq', value: os }], 1 / 3] as const,
  ),
  ...[25, 50, 75].map(
    (total) => [[{ attribute: 'total', op: 'gt', value: total }], 1 - total / 100] as const,
  ),
];

interface Cost {
  what: string;
  ms: number;
  cpuMs: number;
}

/**
 * Measures the computation of behavioural cohorts over the events of the last days, and of fifty questions about the
 * people of the same events. Both have the same events, conditions and windows, in turn.
 */
export async function measureCohorts(analytics: Analytics, count: number, days: number): Promise<Cost[]> {
  const { usage } = analytics;
  const measured = async (what: string, work: () => Promise<void>): Promise<Cost> => {
    const [used, began] = [await usage.cpuSeconds(), performance.now()];
    await work();
    return { what, ms: performance.now() - began, cpuMs: ((await usage.cpuSeconds()) - used) * 1000 };
  };
  const pick = <T>(all: readonly T[], index: number): T => all[index % all.length] as T;
  const ofIndex = (index: number) => {
    const [event, ofEvents] = pick(EVENTS, index);
    const window = Math.min(days, pick(WINDOWS, Math.floor(index / EVENTS.length)));
    const [where, matching] = pick(WHERE, Math.floor(index / EVENTS.length / WINDOWS.length));
    // From what a person does on average to twice as much.
    const factor = 1 + (Math.floor(index / EVENTS.length / WINDOWS.length / WHERE.length) % 7) / 6;
    const least = Math.max(1, Math.ceil(window * EVENTS_A_DAY * ofEvents * matching * factor));
    return { event, window, where, least };
  };
  const questions = () =>
    measured(`${QUESTIONS} questions`, async () => {
      for (let index = 0; index < QUESTIONS; index++) {
        // Strides, so that fifty of the cohorts' conditions are asked about.
        const { event, window, where } = ofIndex(index * 7);
        const range = { from: dayOf(days - window), to: dayOf(days - 1) };
        const series = [{ event, measure: 'people', where }];
        const body = { kind: 'trends', range, interval: 'month', series };
        const answer = await analytics.ask({ name: `people ${index}`, project: LARGE, body });
        if ('refused' in answer) throw new Error(`a question was refused: ${answer.refused}`);
      }
    });

  const database = openDatabase({
    url: await analytics.databaseUrl(),
    applicationName: 'bench',
    statementTimeoutMs: 60_000,
  });
  try {
    const { sql } = database;
    // The events end before today, so windows begin as many days earlier.
    const age = Math.ceil((Date.now() - FIRST_DAY) / DAY_MS) - days;
    for (let index = 0; index < count; index++) {
      const { event, window, where, least } = ofIndex(index);
      const did = JSON.stringify([{ event, where, count: { gte: least }, within: { days: age + window } }]);
      await sql`
        insert into cohort_lists (project_id, cohort_id, did, combine, list, due_at)
        values (${LARGE}, ${`cohort-${index}`}, ${did}::text::jsonb, 'all', '{"computedAt":null,"size":0}', 'infinity')`;
    }
    const compute = () =>
      measured(`${count.toLocaleString('en')} cohorts`, async () => {
        await sql`update cohort_lists set due_at = now()`;
        await eventually(
          async () => {
            const [row] = await sql<{ left: number; failed: number }[]>`
              select count(*) filter (where due_at <= now() or claimed_until is not null)::int as left,
                count(*) filter (where list->>'failure' is not null)::int as failed from cohort_lists`;
            if (row?.failed !== 0) throw new Error(`${row?.failed} cohorts failed`);
            if (row.left > 0) throw new Error(`${row.left} cohorts are left`);
          },
          { withinMs: WITHIN_MS },
        );
      });
    const first = await compute();
    await eventually(
      async () => {
        const left = await sql`select 1 from unpublished_cohort_parts limit 1`;
        if (left.length > 0) throw new Error('lists are not published yet');
      },
      { withinMs: WITHIN_MS },
    );
    // The first computation saves and publishes every list, later ones those that changed.
    const again = await compute();
    // Asked last, because rows that questions may need again are computed after them.
    const costs = [{ ...first, what: `${first.what}, first` }, again, await questions()];
    const [size] = await sql`select avg((list->>'size')::int)::int as people from cohort_lists`;
    console.log(`a cohort has ${size?.['people'].toLocaleString('en')} people on average`);
    return costs;
  } finally {
    await database.close();
  }
}
