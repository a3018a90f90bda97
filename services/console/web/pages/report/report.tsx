import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Builder } from '../insights/builder.tsx';
import { draftOf, queryOf } from '../insights/draft.ts';
import { InsightResult } from '../insights/result.tsx';
import { SaveReport } from '../insights/save.tsx';
import { search } from '../insights/search.ts';

const LINK_DAYS = 30;
const DAY_MS = 86_400_000;

export function Page() {
  const { reportId = '' } = useParams({ strict: false });
  const { project, may, pathOf } = usePlace();
  const params = { projectId: project.id, reportId };
  const navigate = useNavigate();
  const [{ q }, setSearch] = usePageSearch(search);
  const [opened, setOpened] = useState<'save' | 'delete'>();
  const report = useCall(['getReport', project.id, reportId], (client, options) =>
    client.call('getReport', { params }, options),
  );
  const remove = useChange((client, _: undefined) => client.call('deleteReport', { params }), {
    refresh: [['listReports', project.id]],
  });
  const saved = report.data?.query ?? undefined;
  const draft = q ?? (saved === undefined ? undefined : draftOf(saved));
  const query = draft && queryOf(draft);
  const close = () => setOpened(undefined);
  return (
    <PageLayout
      title={report.data?.name ?? t('Report')}
      actions={
        may('reports.write') ? (
          <>
            <Button kind="danger" onClick={() => setOpened('delete')}>
              {t('Delete report')}
            </Button>
            <Button kind="primary" disabled={query === undefined} onClick={() => setOpened('save')}>
              {t('Save report')}
            </Button>
          </>
        ) : undefined
      }
    >
      {remove.error === null ? null : <Failed error={remove.error} />}
      <Loaded query={report}>
        {({ name }) =>
          draft === undefined ? (
            <Empty text={t('This report has no query. Its runs are recorded through the API.')} />
          ) : (
            <>
              <Builder draft={draft} onChange={(next) => setSearch({ q: next })} />
              <InsightResult query={query} name={name} />
            </>
          )
        }
      </Loaded>
      <PublicLink reportId={reportId} />
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
          <p>{t('Its comments, annotations, runs and public link are deleted too.')}</p>
        </Confirm>
      ) : null}
    </PageLayout>
  );
}

function PublicLink({ reportId }: { reportId: string }) {
  const { project, may } = usePlace();
  const params = { projectId: project.id, reportId };
  const key = ['getPublicLink', project.id, reportId];
  // No link is an answer, not a failure.
  const link = useCall(key, (client, options) =>
    client.call('getPublicLink', { params }, options).catch((error: { status?: number }) => {
      if (error.status === 404) return null;
      throw error;
    }),
  );
  const publish = useChange(
    (client, _: undefined) => {
      const expiresOn = new Date(Date.now() + LINK_DAYS * DAY_MS).toISOString().slice(0, 10);
      return client.call('putPublicLink', { params, body: { expiresOn } });
    },
    { refresh: [key] },
  );
  const stop = useChange((client, _: undefined) => client.call('deletePublicLink', { params }), {
    refresh: [key],
  });
  const mayPublish = may('reports.publish');
  const failure = publish.error ?? stop.error;
  return (
    <Section title={t('Public link')}>
      {failure === null ? null : <Failed error={failure} />}
      <Loaded query={link}>
        {(found) =>
          found === null ? (
            <Empty text={t('Only members see this report.')}>
              {mayPublish ? (
                <Button onClick={() => publish.mutate(undefined)}>
                  {t('Create public link for {days} days', { days: LINK_DAYS })}
                </Button>
              ) : null}
            </Empty>
          ) : (
            <>
              <Facts
                facts={[
                  [t('Address'), <Id key="url" value={found.url} name={t('address')} />],
                  [t('Stops on'), found.expiresOn],
                ]}
              />
              {mayPublish ? (
                <p>
                  <Button kind="danger" onClick={() => stop.mutate(undefined)}>
                    {t('Delete public link')}
                  </Button>
                </p>
              ) : null}
            </>
          )
        }
      </Loaded>
    </Section>
  );
}
