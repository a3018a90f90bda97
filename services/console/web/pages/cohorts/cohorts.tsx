import type { Result } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Count } from '../../components/values.tsx';
import { Editor } from './editor.tsx';
import { search } from './search.ts';

type Listed = Result<'listCohorts'>['cohorts'][number];

const NEW = 'new';
const REFRESH_MS = 5_000;

/** The cohorts of the project, and the one that is edited. */
export function Page() {
  const { project, may } = usePlace();
  const [{ find, open }, setSearch] = usePageSearch(search);
  const params = { projectId: project.id };
  const query = useCall(['listCohorts', project.id], (client, options) =>
    client.call('listCohorts', { params }, options),
  );
  const opened = query.data?.cohorts.find(({ id }) => id === open);
  const close = () => setSearch({ open: undefined });
  const title = opened?.name ?? t('New cohort');
  const content =
    open === NEW ? (
      <Editor cohort={undefined} onSaved={(id) => setSearch({ open: id })} onDeleted={close} />
    ) : (
      <Opened id={open ?? ''} onClose={close} />
    );
  return (
    <PageLayout
      title={t('Cohorts')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/cohorts` }}
            command={`switchboard get cohorts ${project.id}`}
          />
          {may('cohorts.write') ? (
            <Button keys="c" kind="primary" onClick={() => setSearch({ open: NEW }, { push: true })}>
              {t('Create cohort')}
            </Button>
          ) : null}
        </>
      }
    >
      <Bar>
        <Filter label={t('Find a cohort')} value={find} onChange={(value) => setSearch({ find: value })} />
      </Bar>
      <ListDetail
        list={
          <Loaded query={query}>
            {({ cohorts }) => {
              const wanted = (find ?? '').toLocaleLowerCase();
              const shown = cohorts.filter(({ name }) => name.toLocaleLowerCase().includes(wanted));
              if (cohorts.length === 0)
                return (
                  <Empty text={t('No cohort. A cohort is a group of people that flags and reports use.')}>
                    {may('cohorts.write') ? (
                      <Button keys="c" onClick={() => setSearch({ open: NEW }, { push: true })}>
                        {t('Describe the first cohort')}
                      </Button>
                    ) : null}
                  </Empty>
                );
              return shown.length === 0 ? (
                <Empty text={t('No cohort has this name.')} />
              ) : (
                <Table
                  label={t('Cohorts')}
                  columns={columns()}
                  rows={shown}
                  keyOf={({ id }) => id}
                  open={open}
                  onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                />
              );
            }}
          </Loaded>
        }
        detail={open === undefined ? undefined : { title, content, onClose: close }}
      />
    </PageLayout>
  );
}

const columns = () => [
  { title: t('Name'), cell: ({ name }: Listed) => name },
  {
    title: t('By'),
    cell: ({ match, did }: Listed) =>
      [
        ...(match === undefined || match.length === 0 ? [] : [t('traits')]),
        ...(did === undefined ? [] : [t('what people did')]),
      ].join(', ') || t('list'),
    width: '180px',
    minor: true,
  },
  {
    title: t('Computed'),
    cell: ({ list }: Listed) => (list?.computedAt == null ? '–' : <Count value={list.size} />),
    width: '100px',
    align: 'end' as const,
  },
];

function Opened({ id, onClose }: { id: string; onClose: () => void }) {
  const { project } = usePlace();
  const key = ['getCohort', project.id, id];
  const query = useCall(
    key,
    (client, options) =>
      client.call('getCohort', { params: { projectId: project.id, cohortId: id } }, options),
    { refreshMs: REFRESH_MS },
  );
  const cohort = query.data?.id === id ? query.data : undefined;
  return (
    <Loaded query={{ ...query, data: cohort }}>
      {(found) => <Editor key={found.id} cohort={found} onSaved={() => undefined} onDeleted={onClose} />}
    </Loaded>
  );
}
