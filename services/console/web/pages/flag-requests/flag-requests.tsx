import type { ChangeRequest } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { CopyAs } from '../../components/copy-as.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded, NextStep } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { Request, State } from './request.tsx';
import { STATES, search } from './search.ts';
import { useNames, useRequests } from './use-requests.ts';

export function Page() {
  const { project, pathOf } = usePlace();
  const nameOf = useNames();
  const [{ state, open }, setSearch] = usePageSearch(search);
  const { query, more } = useRequests({ state: state ?? 'waiting' });
  const { flagApprovals = 0 } = project;
  return (
    <PageLayout
      title={t('Change requests')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/change-requests` }}
          command={`switchboard requests list ${project.id}`}
        />
      }
    >
      <Bar>
        <SelectFilter
          label={t('Waiting')}
          value={state}
          options={[{ value: 'closed', title: t('Closed') }]}
          onChange={(value) => setSearch({ state: STATES.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(requests) => {
          const opened = requests.find(({ id }) => id === open);
          return (
            <ListDetail
              list={
                requests.length > 0 ? (
                  <Table
                    label={t('Change requests')}
                    columns={columns(nameOf)}
                    rows={requests}
                    keyOf={({ id }) => id}
                    open={open}
                    onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    more={more}
                  />
                ) : state !== undefined ? (
                  <Empty text={t('No change request is closed yet.')} />
                ) : flagApprovals > 0 ? (
                  <Empty text={t('No change waits. Change a flag to request approval for it.')}>
                    <NextStep page="/flags" title={t('Open flags')} />
                  </Empty>
                ) : (
                  <Empty
                    text={t(
                      'Changes of flags need no approval in this project. Admins can require approvals in the settings of the project.',
                    )}
                  >
                    <NextStep
                      page="/settings/project"
                      title={t('Open project settings')}
                      permission="projects.write"
                    />
                  </Empty>
                )
              }
              detail={
                opened && {
                  title: opened.key,
                  content: (
                    <>
                      {opened.version === 0 ? null : (
                        <Link to={pathOf(`/flags/${encodeURIComponent(opened.key)}`)}>{t('Open flag')}</Link>
                      )}
                      <Request key={opened.id} request={opened} />
                    </>
                  ),
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
    </PageLayout>
  );
}

const columns = (nameOf: (sub: string) => string): Column<ChangeRequest>[] => [
  { title: t('Flag'), cell: ({ key }) => key },
  { title: t('State'), cell: (request) => <State request={request} />, width: '152px' },
  {
    title: t('Requested by'),
    cell: ({ author }) => (author === null ? t('erased') : nameOf(author)),
    minor: true,
  },
  { title: t('Requested'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '112px', minor: true },
];
