import { useEffect, useState } from 'react';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { onUse } from '../../app/on-use.tsx';
import { usePlace } from '../../app/project.ts';
import { Chart, isRunning, type Place, type ReportContent } from '../../components/chart.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { ListDetail, Section } from '../../components/layout.tsx';
import { Loaded, Partial } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { type Anchor, anchorKey, titleOfAnchor } from '../threads/anchors.ts';
import { useReportThreads } from '../threads/use-report-threads.ts';
import type { Query } from './draft.ts';
import { type Point, pointOf } from './point.ts';
import { useRested } from './rested.ts';
import styles from './result.module.css';
import { useAnnotations } from './use-annotations.ts';

const Annotations = onUse(async () => (await import('./annotations.tsx')).Annotations);
const ReportThreads = onUse(async () => (await import('../threads/report-threads.tsx')).ReportThreads);
const ReportTable = onUse(async () => (await import('../../components/report-table.tsx')).ReportTable);
const People = onUse(async () => (await import('./people.tsx')).PeopleOfValue);

const REFRESH_MS = 15_000;

interface InsightResultProps {
  query: Query | undefined;
  name: string;
  /** The saved report. Its points take comments. */
  reportId?: string;
}

/** The result of a query as a chart and a table. A value opens the people behind it and its comments. */
export function InsightResult({ query: asked, name, reportId }: InsightResultProps) {
  const { project } = usePlace();
  const key = useRested(JSON.stringify(asked ?? null));
  const query: Query | null = JSON.parse(key);
  const result = useCall(
    ['askInsight', project.id, key],
    (client, options) =>
      client.call('askInsight', { params: { projectId: project.id }, body: query }, options),
    { enabled: query !== null, refreshMs: REFRESH_MS },
  );
  if (query === null) return <p>{t('Choose an event to see a chart.')}</p>;
  return (
    <Loaded query={result}>
      {({ asOf, report }) => (
        <div aria-busy={result.isFetching}>
          {Date.parse(asOf) === 0 ? (
            <Partial text={t('Insights are starting: older events follow within a minute.')} />
          ) : null}
          <Answer asked={key} query={query} content={report} asOf={asOf} name={name} reportId={reportId} />
        </div>
      )}
    </Loaded>
  );
}

/** Returns the command that asks the same. It reads JSON, which is YAML as well. */
const commandOf = (project: string, query: Query) =>
  `switchboard query - <<'END'\n${JSON.stringify({ project, ...query }, null, 2)}\nEND`;

interface AnswerProps {
  /** The query as text. Another one closes the open value. */
  asked: string;
  query: Query;
  content: ReportContent;
  asOf: string;
  name: string;
  reportId: string | undefined;
}

function Answer({ asked, query, content, asOf, name, reportId }: AnswerProps) {
  const { project, may } = usePlace();
  const [point, setPoint] = useState<Point>();
  const [day, setDay] = useState<string>();
  useEffect(() => setPoint(undefined), [asked]);
  const { annotations, marks, dayAt, hasAxis } = useAnnotations(content, reportId);
  const threads = useReportThreads(reportId).data?.threads ?? [];
  const commented = new Set(
    threads.flatMap(({ anchor, resolved }) => (anchor?.bucket == null || resolved ? [] : [anchor.bucket])),
  );
  const mayComment = reportId !== undefined && may('comments.read');
  const open =
    may('people.read') || mayComment ? (place: Place) => setPoint(pointOf(query, content, place)) : undefined;
  const anchor: Anchor | undefined = point;
  return (
    <ListDetail
      list={
        <div className={styles['result']}>
          <Chart
            content={content}
            label={name}
            onOpen={open}
            marks={marks}
            commented={commented}
            isRunning={isRunning(query)}
            onAxis={hasAxis && may('annotations.write') ? (at) => setDay(dayAt(at)) : undefined}
          />
          {hasAxis && may('annotations.read') ? (
            <Annotations annotations={annotations} reportId={reportId} day={day} onDay={setDay} />
          ) : null}
          <ReportTable
            content={content}
            name={name}
            onOpen={open}
            hasPeople={(place) => pointOf(query, content, place) !== undefined}
          />
          <p className={styles['facts']}>
            {t('Events until')} <Time at={asOf} /> · {query.timezone ?? 'UTC'}
            <CopyAs
              call={{ method: 'POST', path: `/v1/projects/${project.id}/insights`, body: query }}
              command={commandOf(project.id, query)}
            />
          </p>
        </div>
      }
      detail={
        point && {
          title: may('people.read') ? t('People behind the value') : t('Comments on the value'),
          content: (
            <>
              <p>{titleOfAnchor(anchor)}</p>
              {may('people.read') ? <People query={query} point={point} /> : null}
              {mayComment && anchor !== undefined ? (
                <Section title={t('Comments')}>
                  <ReportThreads key={anchorKey(anchor)} reportId={reportId} anchor={anchor} />
                </Section>
              ) : null}
            </>
          ),
          onClose: () => setPoint(undefined),
        }
      }
    />
  );
}
