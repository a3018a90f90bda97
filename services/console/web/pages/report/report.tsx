import { useNavigate, useParams } from '@tanstack/react-router';
import { Mail, Share2 } from 'lucide-react';
import { useEffect, useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { onUse } from '../../app/on-use.tsx';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { draftOf, queryOf } from '../insights/draft.ts';
import { InsightResult } from '../insights/result.tsx';
import { search } from '../insights/search.ts';
import { ReportLink } from './link.tsx';
import { noteOpened } from './recent.ts';
import { Runs } from './runs.tsx';

const Builder = onUse(async () => (await import('../insights/builder.tsx')).Builder);
const ReportThreads = onUse(async () => (await import('../threads/report-threads.tsx')).ReportThreads);
const SaveReport = onUse(async () => (await import('../insights/save.tsx')).SaveReport);
const ShareReport = onUse(async () => (await import('./share.tsx')).ShareReport);

export function Page() {
  const { reportId = '' } = useParams({ strict: false });
  const { project, may, pathOf } = usePlace();
  const params = { projectId: project.id, reportId };
  const navigate = useNavigate();
  const [{ q }, setSearch] = usePageSearch(search);
  const [isEditing, setIsEditing] = useState(q !== undefined);
  const [opened, setOpened] = useState<'save' | 'delete' | 'share'>();
  const report = useCall(['getReport', project.id, reportId], (client, options) =>
    client.call('getReport', { params }, options),
  );
  const remove = useChange((client, _: undefined) => client.call('deleteReport', { params }), {
    refresh: [['listReports', project.id]],
  });
  useEffect(() => noteOpened(project.id, reportId), [project.id, reportId]);
  const saved = report.data?.query ?? undefined;
  const isWatchable = (saved?.kind === 'trends' || saved?.kind === 'funnel') && saved.breakdown === undefined;
  const draft = q ?? (saved === undefined ? undefined : draftOf(saved));
  const query = draft && queryOf(draft);
  const close = () => setOpened(undefined);
  return (
    <PageLayout
      title={report.data?.name ?? t('Report')}
      actions={
        <>
          {may('alerts.write') && isWatchable ? (
            <Button
              keys="l"
              onClick={() =>
                void navigate({ to: pathOf('/alerts'), search: { edit: 'new', report: reportId } })
              }
            >
              {t('Create alert')}
            </Button>
          ) : null}
          {may('subscriptions.write') ? (
            <Button
              keys="u"
              icon={Mail}
              onClick={() =>
                void navigate({ to: pathOf('/subscriptions'), search: { edit: 'new', report: reportId } })
              }
            >
              {t('Subscribe')}
            </Button>
          ) : null}
          {may('reports.share') ? (
            <Button keys="s" icon={Share2} onClick={() => setOpened('share')}>
              {t('Share')}
            </Button>
          ) : null}
          {may('reports.write') ? (
            <>
              <Button keys="d" kind="danger" onClick={() => setOpened('delete')}>
                {t('Delete report')}
              </Button>
              <Button
                keys="c"
                kind="primary"
                disabled={query === undefined}
                onClick={() => setOpened('save')}
              >
                {t('Save report')}
              </Button>
            </>
          ) : null}
        </>
      }
    >
      {remove.error === null ? null : <Failed error={remove.error} />}
      <Loaded query={report}>
        {({ name, description }) => (
          <>
            {description == null ? null : <p>{description}</p>}
            {draft === undefined ? (
              <Empty text={t('This report has no query. Its runs are recorded through the API.')} />
            ) : (
              <>
                <details open={isEditing} onToggle={({ currentTarget }) => setIsEditing(currentTarget.open)}>
                  <summary>{t('Query')}</summary>
                  {isEditing ? <Builder draft={draft} onChange={(next) => setSearch({ q: next })} /> : null}
                </details>
                <InsightResult query={query} name={name} reportId={reportId} />
              </>
            )}
          </>
        )}
      </Loaded>
      {may('comments.read') ? (
        <Section title={t('Comments')}>
          <ReportThreads reportId={reportId} />
        </Section>
      ) : null}
      <Runs reportId={reportId} hasQuery={saved !== undefined} />
      <ReportLink reportId={reportId} />
      {opened === 'share' ? <ShareReport reportId={reportId} onClose={close} /> : null}
      {opened === 'save' && query !== undefined && report.data !== undefined ? (
        <SaveReport
          query={query}
          report={report.data}
          onClose={close}
          onSaved={() => {
            close();
            setSearch({ q: undefined });
          }}
        />
      ) : null}
      {opened === 'delete' ? (
        <Confirm
          title={t('Delete this report?')}
          action={t('Delete report')}
          onClose={close}
          onConfirm={() =>
            remove.mutate(undefined, { onSuccess: () => void navigate({ to: pathOf('/insights') }) })
          }
        >
          <p>{t('Its comments, annotations, runs, subscriptions and public link are deleted too.')}</p>
        </Confirm>
      ) : null}
    </PageLayout>
  );
}
