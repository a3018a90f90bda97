import type { Result } from '@switchboard/management';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Loaded } from '../../components/state.tsx';
import { Count } from '../../components/values.tsx';

const DAY_MS = 86_400_000;
const DAYS = 30;
const REFRESH_MS = 60_000;

/** The number of events of the last 30 days. */
export function Events() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  // A whole day, so that the answer is kept for a day.
  const since = new Date((Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS).toISOString();
  const { query, more } = useList(
    ['listEventNames', project.id, since],
    async (client, cursor, options) => {
      const answer = await client.call('listEventNames', { params, query: { since, ...cursor } }, options);
      return { items: answer.eventNames, nextCursor: answer.nextCursor };
    },
    { refreshMs: REFRESH_MS },
  );
  return (
    <Loaded query={query} loading="–">
      {(names) => (
        <>
          <Count value={names.reduce((sum, { count }) => sum + count, 0)} />
          {more === undefined ? null : ` ${t('of the most frequent names')}`}
        </>
      )}
    </Loaded>
  );
}

/** The number of people who were active in this month. */
export function ActivePeople() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const query = useCall(
    ['askInsight', project.id, ACTIVE],
    (client, options) => client.call('askInsight', { params, body: ACTIVE }, options),
    { refreshMs: REFRESH_MS },
  );
  return (
    <Loaded query={query} loading="–">
      {({ report }) => <Count value={activeIn(report)} />}
    </Loaded>
  );
}

const ACTIVE = { kind: 'lifecycle', range: { last: 1, unit: 'month' }, interval: 'month' } as const;

/** Returns the people of a lifecycle who were active: new, returning and resurrecting. */
function activeIn(report: Result<'askInsight'>['report']): number {
  if (report.kind !== 'bar') return 0;
  return report.series.reduce((sum, { values }) => sum + Math.max(0, values.at(-1) ?? 0), 0);
}
