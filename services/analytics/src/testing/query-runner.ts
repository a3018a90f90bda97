import { insightQuery, reportContent } from '@switchboard/contracts';
import { expect } from 'vitest';
import { resultOf } from '../queries/result.ts';
import type { Case } from './arbitraries.ts';
import type { TestEvent } from './reference.ts';
import type { TestEngine } from './table.ts';

/** An event, as its differences from the default. */
type Event = Partial<TestEvent> & { at: string; plan?: string | undefined };

/** Builds an event `a` of one person unless overridden. */
const eventOf = ({ at, plan, ...more }: Event, index: number): TestEvent => ({
  id: String(index),
  t: Date.parse(at),
  name: 'a',
  person: 'ada',
  session: null,
  properties: plan === undefined ? null : { plan },
  context: null,
  ...more,
});

/** Loads events, and returns a function that runs queries on them and validates the reports. */
export async function queryRunner(
  { engine, load, sourceOf }: TestEngine,
  events: readonly Event[],
  known: Partial<Pick<Case, 'people' | 'personIds' | 'cohorts'>> & { now?: number; asOf?: number } = {},
) {
  const { people = {}, personIds = {}, cohorts = new Map(), now = 0, asOf = 0 } = known;
  await load([{ events: events.map(eventOf), people, personIds }]);
  return async (query: object) => {
    const report = await resultOf(insightQuery.parse(query), {
      source: { ...sourceOf(0), dialect: engine.dialect, cohorts },
      now,
      asOf,
      run: engine.query,
      eachPerson: engine.eachPerson,
    });
    expect(reportContent.safeParse(report).error?.issues).toBeUndefined();
    return report;
  };
}
