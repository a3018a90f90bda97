import type { Result } from '@switchboard/management';
import { useState } from 'react';
import { useCall } from '../../app/api.ts';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Chart, contentOf } from '../../components/chart.tsx';
import { Code } from '../../components/code.tsx';
import { ListDetail } from '../../components/layout.tsx';
import { ReportTable } from '../../components/report-table.tsx';
import { Empty, Loaded, Partial } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';

type Run = Result<'listReportRuns'>['runs'][number];

const REFRESH_MS = 10_000;

/** The kept runs of a report, newest first. A run opens beside the list. */
export function RunHistory({ reportId }: { reportId: string }) {
  const { project } = usePlace();
  const [open, setOpen] = useState<Run>();
  const params = { projectId: project.id, reportId };
  const history = useCall(
    ['listReportRuns', project.id, reportId],
    (client, options) => client.call('listReportRuns', { params }, options),
    { refreshMs: REFRESH_MS },
  );
  return (
    <Loaded query={history}>
      {({ runs }) =>
        runs.length === 0 ? (
          <Empty text={t('It has not run yet.')} />
        ) : (
          <ListDetail
            list={
              <Table
                label={t('Runs')}
                columns={[
                  { title: t('Time'), cell: ({ ranAt }) => <Time at={ranAt} /> },
                  {
                    title: t('Result'),
                    cell: ({ failure }) =>
                      failure === null ? (
                        <Badge tone="good">{t('succeeded')}</Badge>
                      ) : (
                        <Badge tone="danger">{t('failed')}</Badge>
                      ),
                  },
                ]}
                rows={runs}
                keyOf={({ runId }) => runId}
                open={open?.runId}
                onOpen={setOpen}
              />
            }
            detail={
              open && {
                title: new Intl.DateTimeFormat(locale(), { dateStyle: 'medium', timeStyle: 'short' }).format(
                  new Date(open.ranAt),
                ),
                content: <KeptRun key={open.runId} reportId={reportId} run={open} />,
                onClose: () => setOpen(undefined),
              }
            }
          />
        )
      }
    </Loaded>
  );
}

function KeptRun({ reportId, run: { runId, failure, hasReport } }: { reportId: string; run: Run }) {
  const { project } = usePlace();
  const params = { projectId: project.id, reportId, runId };
  const run = useCall(
    ['getReportRun', project.id, reportId, runId],
    (client, options) => client.call('getReportRun', { params }, options),
    { enabled: hasReport },
  );
  if (failure !== null) return <Partial text={failure.message} />;
  if (!hasReport) return <Partial text={t('The result is larger than 100 kB, so it was not kept.')} />;
  return (
    <Loaded query={run}>
      {({ report }) => {
        const content = contentOf(report);
        if (content === undefined)
          return <Code text={JSON.stringify(report, null, 2)} name={t('the result')} />;
        return (
          <>
            <Chart content={content} label={t('Run')} />
            <ReportTable content={content} name={reportId} />
          </>
        );
      }}
    </Loaded>
  );
}
