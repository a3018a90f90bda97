import type { Result } from '@switchboard/management';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Facts } from '../../components/layout.tsx';
import { Loaded } from '../../components/state.tsx';
import { Count } from '../../components/values.tsx';

const DAY_MS = 86_400_000;
const DAYS = 30;

/** The events of the last 30 days, and the people who were active in this month. */
export function Active() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  // A whole day, so that the answer is kept for a day.
  const since = new Date((Math.floor(Date.now() / DAY_MS) - DAYS) * DAY_MS).toISOString();
  const { query: names, more } = useList(
    ['listEventNames', project.id, since],
    async (client, cursor, options) => {
      const answer = await client.call('listEventNames', { params, query: { since, ...cursor } }, options);
      return { items: answer.eventNames, nextCursor: answer.nextCursor };
    },
  );
  const people = useCall(['askInsight', project.id, 'active people'], (client, options) =>
    client.call('askInsight', { params, body: ACTIVE }, options),
  );
  return (
    <>
      <Loaded query={names}>
        {(items) => {
          const events = items.reduce((sum, { count }) => sum + count, 0);
          return (
            <Facts
              facts={[
                [
                  t('Events'),
                  <span key="events">
                    <Count value={events} />
                    {more === undefined ? null : ` ${t('of the most frequent names')}`}
                  </span>,
                ],
              ]}
            />
          );
        }}
      </Loaded>
      <Loaded query={people}>
        {({ report }) => (
          <Facts facts={[[t('Active people this month'), <Count key="people" value={activeIn(report)} />]]} />
        )}
      </Loaded>
    </>
  );
}

const ACTIVE = { kind: 'lifecycle', range: { last: 1, unit: 'month' }, interval: 'month' } as const;

/** Returns the people of a lifecycle who were active: new, returning and resurrecting. */
function activeIn(report: Result<'askInsight'>['report']): number {
  if (report.kind !== 'bar') return 0;
  return report.series.reduce((sum, { values }) => sum + Math.max(0, values.at(-1) ?? 0), 0);
}
