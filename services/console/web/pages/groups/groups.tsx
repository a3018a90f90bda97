import type { ListedGroup } from '@switchboard/management';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Code } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, Time } from '../../components/values.tsx';
import { peopleColumns } from '../people/columns.tsx';
import { SORTS, search } from './search.ts';

const GROUP = "switchboard.group('acme', { name: 'Acme' }, 'company');";

export function Page() {
  const { project } = usePlace();
  const [{ open, openType, ...filters }, setSearch] = usePageSearch(search);
  const type = openType ?? filters.type;
  const { query, more } = useList(['listGroups', project.id, filters], async (client, cursor, options) => {
    const { groups, nextCursor } = await client.call(
      'listGroups',
      { params: { projectId: project.id }, query: { ...filters, ...cursor } },
      options,
    );
    return { items: groups, nextCursor };
  });
  const columns: Column<ListedGroup>[] = useMemo(
    () => [
      { title: t('Group'), cell: nameOf },
      { title: t('Type'), cell: (group) => group.type, minor: true },
      { title: t('Members'), cell: ({ members }) => <Count value={members} />, width: '96px', align: 'end' },
      {
        title: t('Last seen'),
        cell: ({ lastSeenAt }) => (lastSeenAt ? <Time at={lastSeenAt} /> : '–'),
        width: '128px',
        minor: true,
      },
    ],
    [],
  );
  const isFiltered = filters.type !== undefined || filters.search !== undefined;
  return (
    <PageLayout
      title={t('Groups')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/groups` }}
          command={`switchboard groups ${project.id}`}
        />
      }
    >
      <Bar>
        <Filter
          label={t('Id or name')}
          value={filters.search}
          onChange={(value) => setSearch({ search: value })}
        />
        <Filter label={t('Type')} value={filters.type} onChange={(value) => setSearch({ type: value })} />
        <SelectFilter
          label={t('Last seen first')}
          value={filters.sort}
          options={[{ value: 'members', title: t('Most members first') }]}
          onChange={(value) => setSearch({ sort: SORTS.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(groups) => (
          <ListDetail
            list={
              groups.length > 0 ? (
                <Table
                  label={t('Groups')}
                  columns={columns}
                  rows={groups}
                  keyOf={keyOf}
                  open={type === undefined || open === undefined ? undefined : keyOf({ type, id: open })}
                  onOpen={({ type: opened, id }) => setSearch({ open: id, openType: opened }, { push: true })}
                  more={more}
                />
              ) : isFiltered ? (
                <Empty text={t('No group matches the filters.')} />
              ) : (
                <Empty text={t('No group call has arrived yet. Put your users in groups.')}>
                  <Code text={GROUP} name={t('the call')} />
                </Empty>
              )
            }
            detail={
              open === undefined || type === undefined
                ? undefined
                : {
                    title: open,
                    content: <Members type={type} id={open} />,
                    onClose: () => setSearch({ open: undefined, openType: undefined }),
                  }
            }
          />
        )}
      </Loaded>
    </PageLayout>
  );
}

const keyOf = ({ type, id }: Pick<ListedGroup, 'type' | 'id'>) => `${type} ${id}`;

function nameOf({ id, traits }: ListedGroup): string {
  const name = traits['name'];
  return typeof name === 'string' && name !== '' ? name : id;
}

function Members({ type, id }: { type: string; id: string }) {
  const { project, pathOf } = usePlace();
  const navigate = useNavigate();
  const columns = useMemo(peopleColumns, []);
  const group = useCall(['getGroup', project.id, type, id, 'facts'], (client, options) =>
    client.call('getGroup', { params: { projectId: project.id, type, id }, query: { limit: 1 } }, options),
  );
  const { query, more } = useList(['getGroup', project.id, type, id], async (client, cursor, options) => {
    const { people, nextCursor } = await client.call(
      'getGroup',
      { params: { projectId: project.id, type, id }, query: cursor },
      options,
    );
    return { items: people, nextCursor };
  });
  return (
    <>
      <Loaded query={group}>
        {({ traits, firstSeenAt }) => (
          <Facts
            facts={[
              [t('Type'), type],
              [t('First seen'), firstSeenAt === null ? '–' : <Time key="first" at={firstSeenAt} />],
              ...Object.entries(traits).map(([name, value]) => [name, shown(value)] as const),
            ]}
          />
        )}
      </Loaded>
      <Loaded query={query}>
        {(people) =>
          people.length === 0 ? (
            <Empty text={t('Everyone has left this group.')} />
          ) : (
            <Table
              label={t('Members')}
              columns={columns}
              rows={people}
              keyOf={({ distinctId }) => distinctId}
              onOpen={({ distinctId }) =>
                void navigate({ to: pathOf(`/people/${encodeURIComponent(distinctId)}`) })
              }
              more={more}
            />
          )
        }
      </Loaded>
    </>
  );
}

const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
