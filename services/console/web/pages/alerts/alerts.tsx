import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { short } from '../../components/values.tsx';
import { AlertDetail } from './alert.tsx';
import { Editor } from './editor.tsx';
import { search } from './search.ts';
import { type Alert, AlertState, ruleWord } from './words.tsx';

export function Page() {
  const { project, may } = usePlace();
  const [{ open, edit, report }, setSearch] = usePageSearch(search);
  const query = useCall(
    ['listAlerts', project.id],
    (client, options) => client.call('listAlerts', { params: { projectId: project.id } }, options),
    { refreshMs: 10_000 },
  );
  const mayWrite = may('alerts.write');
  const create = () => setSearch({ edit: 'new' });
  return (
    <PageLayout
      title={t('Alerts')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/alerts` }}
            command={`switchboard alerts list ${project.id}`}
          />
          {mayWrite ? (
            <Button keys="c" kind="primary" onClick={create}>
              {t('Create alert')}
            </Button>
          ) : null}
        </>
      }
    >
      <Loaded query={query}>
        {({ alerts }) => {
          const opened = alerts.find(({ id }) => id === open);
          return (
            <>
              <ListDetail
                list={
                  alerts.length === 0 ? (
                    <Empty
                      text={t('No alert yet. One watches a value of a saved report, and sends to webhooks.')}
                    >
                      {mayWrite ? (
                        <Button keys="c" onClick={create}>
                          {t('Create the first alert')}
                        </Button>
                      ) : null}
                    </Empty>
                  ) : (
                    <Table
                      label={t('Alerts')}
                      columns={columns()}
                      rows={alerts}
                      keyOf={({ id }) => id}
                      open={open}
                      onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    />
                  )
                }
                detail={
                  opened && {
                    title: opened.name,
                    content: <AlertDetail key={opened.id} alert={opened} />,
                    onClose: () => setSearch({ open: undefined }),
                  }
                }
              />
              {edit === undefined || (edit === 'open' && opened === undefined) ? null : (
                <Editor
                  alert={edit === 'open' ? opened : undefined}
                  reportId={report}
                  onSaved={({ id }) => setSearch({ edit: undefined, report: undefined, open: id })}
                  onClose={() => setSearch({ edit: undefined, report: undefined })}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </PageLayout>
  );
}

const columns = (): Column<Alert>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('State'), cell: (alert) => <AlertState alert={alert} />, width: '152px' },
  { title: t('Fires when'), cell: ({ rule }) => ruleWord(rule), minor: true },
  {
    title: t('Last value'),
    cell: ({ value }) => (value === null ? '–' : short(value)),
    width: '112px',
    align: 'end',
    minor: true,
  },
];
