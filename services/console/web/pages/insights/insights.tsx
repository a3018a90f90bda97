import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Filter } from '../../components/field.tsx';
import { Bar, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Builder } from './builder.tsx';
import { emptyDraft, queryOf } from './draft.ts';
import { InsightResult } from './result.tsx';
import { SaveReport } from './save.tsx';
import { search } from './search.ts';

export function Page() {
  const { may, pathOf } = usePlace();
  const [{ q, find }, setSearch] = usePageSearch(search);
  const [isSaving, setIsSaving] = useState(false);
  const navigate = useNavigate();
  const draft = q ?? emptyDraft();
  const query = queryOf(draft);
  return (
    <PageLayout
      title={t('Insights')}
      actions={
        may('reports.write') ? (
          <Button kind="primary" disabled={query === undefined} onClick={() => setIsSaving(true)}>
            {t('Save report')}
          </Button>
        ) : undefined
      }
    >
      <Builder draft={draft} onChange={(next) => setSearch({ q: next })} />
      <InsightResult query={query} name={t('Insight')} />
      <SavedReports find={find} onFind={(next) => setSearch({ find: next })} />
      {isSaving && query !== undefined ? (
        <SaveReport
          query={query}
          onClose={() => setIsSaving(false)}
          onSaved={(id) => void navigate({ to: pathOf(`/reports/${encodeURIComponent(id)}`) })}
        />
      ) : null}
    </PageLayout>
  );
}

function SavedReports({ find, onFind }: { find: string | undefined; onFind: (find?: string) => void }) {
  const { project, pathOf } = usePlace();
  const { query, more } = useList(['listReports', project.id], async (client, cursor, options) => {
    const params = { projectId: project.id };
    const { reports, nextCursor } = await client.call('listReports', { params, query: cursor }, options);
    return { items: reports, nextCursor };
  });
  return (
    <Section title={t('Saved reports')}>
      <Bar>
        <Filter label={t('Find a report')} value={find} onChange={onFind} />
      </Bar>
      <Loaded query={query}>
        {(reports) => {
          const wanted = (find ?? '').toLocaleLowerCase();
          const shown = reports.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
          if (shown.length === 0) return <Empty text={t('No report. Choose an event above and save it.')} />;
          return (
            <Table
              label={t('Saved reports')}
              columns={[
                {
                  title: t('Name'),
                  cell: ({ id, name }) => (
                    <Link to={pathOf(`/reports/${encodeURIComponent(id)}`)}>{name}</Link>
                  ),
                },
                { title: t('Kind'), cell: (one) => one.query?.kind ?? t('recorded'), width: '120px' },
                { title: t('Refresh'), cell: ({ refresh }) => refresh ?? '–', width: '120px', minor: true },
              ]}
              rows={shown}
              keyOf={({ id }) => id}
              more={more}
            />
          );
        }}
      </Loaded>
    </Section>
  );
}
