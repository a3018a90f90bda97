import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { SaveAsCohort } from '../cohorts/save-as-cohort.tsx';
import type { Query } from './draft.ts';
import type { Point } from './point.ts';

/** The people behind a value of a query. */
export function PeopleOfValue({ query: question, point }: { query: Query; point: Point }) {
  const { project } = usePlace();
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
              more={more}
            />
          </>
        )
      }
    </Loaded>
  );
}
