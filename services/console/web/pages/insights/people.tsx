import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { SelectFilter } from '../../components/field.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { SaveAsCohort } from '../cohorts/save-as-cohort.tsx';
import type { Query } from './draft.ts';
import type { Point } from './point.ts';

interface States {
  /** Names those of no state. */
  label: string;
  options: { value: 'dropped' | 'ended'; title: string }[];
}

/** Returns other people that a value has behind it. */
function statesOf(query: Query, { step, state }: Point): States | undefined {
  const { kind } = query;
  if (kind === 'funnel' && query.view === 'over_time') {
    return {
      label: t('Reached the last step'),
      options: [{ value: 'dropped', title: t('Left before the last step') }],
    };
  }
  if (step === undefined || state !== undefined) return undefined;
  if (kind === 'paths') {
    return { label: t('Had the event'), options: [{ value: 'ended', title: t('Without a further event') }] };
  }
  return step === 0
    ? undefined
    : { label: t('Reached the step'), options: [{ value: 'dropped', title: t('Left before the step') }] };
}

/** The people behind a value of a query. Behind a step of a funnel are also those who left before it. */
export function PeopleOfValue({ query, point }: { query: Query; point: Point }) {
  const [state, setState] = useState<string>();
  const own = statesOf(query, point);
  const chosen = own?.options.find(({ value }) => value === state)?.value;
  const shown: Point = chosen === undefined ? point : { ...point, state: chosen };
  return (
    <>
      {own === undefined ? null : (
        <div>
          <SelectFilter label={own.label} value={chosen} options={own.options} onChange={setState} />
        </div>
      )}
      <People query={query} point={shown} />
    </>
  );
}

function People({ query: question, point }: { query: Query; point: Point }) {
  const { project, pathOf } = usePlace();
  const navigate = useNavigate();
  const { query, more } = useList(
    ['listInsightPeople', project.id, question, point],
    async (client, cursor, options) => {
      const body = { question, point, ...cursor };
      const { people, nextCursor } = await client.call(
        'listInsightPeople',
        { params: { projectId: project.id }, body },
        options,
      );
      return { items: people, nextCursor };
    },
  );
  return (
    <Loaded query={query}>
      {(people) =>
        people.length === 0 ? (
          <Empty text={t('No person is behind this value.')} />
        ) : (
          <>
            <SaveAsCohort
              read={(client, cursor) =>
                client.call('listInsightPeople', {
                  params: { projectId: project.id },
                  body: { question, point, ...cursor },
                })
              }
            />
            <Table
              label={t('People')}
              columns={[
                { title: t('Person'), cell: ({ distinctId }) => distinctId },
                {
                  title: t('Last seen'),
                  cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : '–'),
                },
              ]}
              rows={people}
              keyOf={({ distinctId }) => distinctId}
              onOpen={({ distinctId }) =>
                void navigate({ to: pathOf(`/people/${encodeURIComponent(distinctId)}`) })
              }
              more={more}
            />
          </>
        )
      }
    </Loaded>
  );
}
