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
import { useNames } from '../threads/members.ts';
import styles from './flag-requests.module.css';
import { Request, State } from './request.tsx';
import { STATES, search } from './search.ts';
import { useRequest, useRequests } from './use-requests.ts';

export function Page() {
  const { project, pathOf } = usePlace();
  const nameOf = useNames();
  const [{ state, open }, setSearch] = usePageSearch(search);
  const { query, more } = useRequests({ state: state ?? 'current' });
  const opened = useRequest(open);
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
          label={t('Waiting and unread')}
          value={state}
          options={[{ value: 'closed', title: t('Closed') }]}
          onChange={(value) => setSearch({ state: STATES.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(requests) => (
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
              open === undefined
                ? undefined
                : {
                    title: opened.data?.key ?? t('Change request'),
                    content: (
                      <Loaded query={opened}>
                        {(request) => (
                          <>
                            {request.version === 0 ? null : (
                              <Link to={pathOf(`/flags/${encodeURIComponent(request.key)}`)}>
                                {t('Open flag')}
                              </Link>
                            )}
                            <Request key={request.id} request={request} />
                          </>
                        )}
                      </Loaded>
                    ),
                    onClose: () => setSearch({ open: undefined }),
                  }
            }
          />
        )}
      </Loaded>
    </PageLayout>
  );
}

const columns = (nameOf: (sub: string) => string): Column<ChangeRequest>[] => [
  {
    title: t('Flag'),
    cell: ({ key, unread }) =>
      unread ? (
        <span className={styles['unread']}>
          <span className={styles['dot']} role="img" aria-label={t('Unread')} />
          {key}
        </span>
      ) : (
        key
      ),
  },
  { title: t('State'), cell: (request) => <State request={request} />, width: '152px' },
  {
    title: t('Requested by'),
    cell: ({ author }) => (author === null ? t('erased') : nameOf(author)),
    minor: true,
  },
  { title: t('Requested'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '112px', minor: true },
];
