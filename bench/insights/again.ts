import type { ArchiveFileRecord } from '@switchboard/contracts';
import { printTable, thousands } from '../lib/table.ts';
import { type Analytics, type Answer, type Question, settled } from './analytics.ts';
import { compare, type Hand } from './by-hand.ts';
import { dayOf, LARGE, openFileWriter, peopleOf } from './files.ts';
import type { BenchQuestion } from './questions.ts';

const NEW_EVENTS = 10_000;

interface Measured {
  /** The number of events of the large project, and of their days. */
  events: number;
  days: number;
  /** Opens an engine over the files of the bench and others. */
  byHandOf(added: readonly ArchiveFileRecord[]): Promise<Hand>;
}

/** Measures each query again after new events, and a dashboard of 20 reports, each time after more of them. */
export async function measureAgain(
  analytics: Analytics,
  questions: readonly BenchQuestion[],
  { events, days, byHandOf }: Measured,
): Promise<void> {
  const writer = await openFileWriter(analytics.folder);
  const added: ArchiveFileRecord[] = [];
  const addEvents = async () => {
    const wanted = {
      name: `new-${added.length}`,
      day: days - 1,
      rows: NEW_EVENTS,
      of: LARGE,
      people: peopleOf(events),
    };
    const record = await writer.write(wanted);
    added.push(record);
    await analytics.publish([record]);
  };

  const rows: string[][] = [];
  for (const question of questions) await analytics.ask(question);
  await addEvents();
  const hand = await byHandOf(added);
  for (const question of questions) {
    const began = performance.now();
    const answer = await analytics.askAgain(question);
    rows.push([question.name, thousands(performance.now() - began)]);
    compare(question, answer, await hand.ask(question));
  }
  hand.close();
  const dashboard = dashboardOver(days);
  const loads = ['first time', 'second time', 'third time'];
  for (const [load, name] of loads.entries()) {
    if (load > 0) {
      await settled(analytics);
      await addEvents();
    }
    const took = await timeOf(() =>
      Promise.all(dashboard.map((report) => succeed(analytics.askAgain(report), report.name))),
    );
    rows.push([`dashboard of ${dashboard.length} reports, ${name}`, took]);
  }
  writer.close();
  printTable([`after ${thousands(NEW_EVENTS)} new events`, 'ms'], rows);
}

async function succeed(asking: Promise<Answer>, name: string): Promise<void> {
  const answer = await asking;
  if ('refused' in answer) throw new Error(`${name}: ${answer.refused}`);
}

async function timeOf(work: () => Promise<unknown>): Promise<string> {
  const began = performance.now();
  await work();
  return thousands(performance.now() - began);
}

/** Returns 20 different reports of a project, as a product team would arrange them. */
function dashboardOver(days: number): Question[] {
  const range = { from: dayOf(0), to: dayOf(days - 1) };
  const trend = (event: string, more: object = {}, body: object = {}) => ({
    kind: 'trends',
    range,
    series: [{ event, ...more }],
    ...body,
  });
  const where = [{ attribute: 'plan', op: 'eq', value: 'pro' }];
  const byPlan = { breakdown: { property: 'plan' } };
  const names = ['page seen', 'product seen', 'product added', 'checkout begun', 'order placed'];
  const bodies = [
    ...names.map((event) => trend(event)),
    ...names.slice(2).map((event) => trend(event, { measure: 'people' })),
    ...names.slice(2).map((event) => trend(event, {}, byPlan)),
    trend('order placed', { measure: 'sum', property: 'total' }),
    trend('order placed', { measure: 'average', property: 'total' }, byPlan),
    trend('order placed', {}, { where }),
    trend('order placed', { measure: 'people' }, { interval: 'week' }),
    { kind: 'funnel', range, steps: names.slice(2).map((event) => ({ event })) },
    { kind: 'funnel', range, steps: names.slice(0, 3).map((event) => ({ event })) },
    {
      kind: 'retention',
      range,
      interval: 'week',
      start: { event: names[2] },
      return: { event: names[4] },
      periods: 8,
    },
    { kind: 'stickiness', range, interval: 'week', series: [{ event: 'product added' }] },
    { kind: 'lifecycle', range, interval: 'week', event: 'product added' },
  ];
  return bodies.map((body, index) => ({ name: `report ${index}`, project: LARGE, body }));
}
