import { useEffect, useState } from 'react';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Chart, type Place, type ReportContent } from '../../components/chart.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { ListDetail } from '../../components/layout.tsx';
import { ReportTable } from '../../components/report-table.tsx';
import { Empty, Loaded, Partial } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import type { Query } from './draft.ts';
import styles from './result.module.css';

const TYPING_MS = 300;
const REFRESH_MS = 15_000;

/** Returns the value once it has rested for a moment. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

interface Point {
  metric?: string;
  breakdown?: string[];
  bucket?: string;
  step?: number;
  cohortBucket?: string;
  period?: number;
  daysActive?: number;
  state?: 'new' | 'returning' | 'resurrecting' | 'dormant' | 'dropped';
}

/** Returns the point that names a value of the result. Undefined for values without people, such as a median. */
function pointOf(query: Query, content: ReportContent, { series, at }: Place): Point | undefined {
  if (content.kind === 'funnel') {
    if (series === 1) return undefined;
    const name = content.series?.[series - 2]?.name;
    return name === undefined ? { step: at } : { step: at, breakdown: [name] };
  }
  if (content.kind === 'grid') {
    const cohortBucket = content.rows[at]?.name;
    if (cohortBucket === undefined) return undefined;
    return series === 0 ? { cohortBucket } : { cohortBucket, period: series - 1 };
  }
  const [bucket, one] = [content.buckets[at], content.series[series]];
  if (bucket === undefined || one === undefined) return undefined;
  if (query.kind === 'stickiness') return { metric: one.name, daysActive: at + 1 };
  if (query.kind === 'lifecycle') {
    const state = (['new', 'returning', 'resurrecting', 'dormant'] as const).find((it) => it === one.builtIn);
    return state === undefined ? undefined : { bucket, state };
  }
  const isBroken = query.kind === 'trends' && query.breakdown !== undefined;
  return isBroken ? { breakdown: [one.name], bucket } : { metric: one.name, bucket };
}

/** The result of a query as a chart and a table. A value opens the people behind it. */
export function InsightResult({ query: asked, name }: { query: Query | undefined; name: string }) {
  const { project, may } = usePlace();
  const key = useRested(JSON.stringify(asked ?? null));
  const query: Query | null = JSON.parse(key);
  const [point, setPoint] = useState<Point>();
  useEffect(() => setPoint(undefined), [key]);
  const result = useCall(
    ['askInsight', project.id, key],
    (client, options) =>
      client.call('askInsight', { params: { projectId: project.id }, body: query }, options),
    { enabled: query !== null, refreshMs: REFRESH_MS },
  );
  if (query === null) return <Empty text={t('Choose an event to see a chart.')} />;
  return (
    <Loaded query={result}>
      {({ asOf, report }) => {
        const open = may('people.read')
          ? (place: Place) => setPoint(pointOf(query, report, place))
          : undefined;
        return (
          <ListDetail
            list={
              <div className={styles['result']} aria-busy={result.isFetching}>
                {Date.parse(asOf) === 0 ? (
                  <Partial text={t('Insights are starting: older events follow within a minute.')} />
                ) : null}
                <Chart content={report} label={name} onOpen={open} />
                <ReportTable content={report} name={name} onOpen={open} />
                <p className={styles['facts']}>
                  {t('Events until')} <Time at={asOf} /> · {query.timezone ?? 'UTC'}
                  <CopyAs
                    call={{ method: 'POST', path: `/v1/projects/${project.id}/insights`, body: query }}
                  />
                </p>
              </div>
            }
            detail={
              point && {
                title: t('People behind the value'),
                content: <People query={query} point={point} />,
                onClose: () => setPoint(undefined),
              }
            }
          />
        );
      }}
    </Loaded>
  );
}

function People({ query: question, point }: { query: Query; point: Point }) {
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
        )
      }
    </Loaded>
  );
}
