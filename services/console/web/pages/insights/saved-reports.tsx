import { Link } from '@tanstack/react-router';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Filter } from '../../components/field.tsx';
import { Bar, Section } from '../../components/layout.tsx';
import { Empty, Loaded, NextStep } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';

/** The saved reports of the project. */
export function SavedReports({
  find,
  onFind,
}: {
  find: string | undefined;
  onFind: (find?: string) => void;
}) {
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
          if (reports.length === 0)
            return (
              <Empty text={t('No report. Choose an event above and save it.')}>
                <NextStep
                  page="/settings/keys"
                  title={t('Show code that sends events')}
                  permission="keys.write"
                />
              </Empty>
            );
          if (shown.length === 0) return <Empty text={t('No report has this name.')} />;
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
