import type { ListedPerson } from '@switchboard/management';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Code } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { SaveAsCohort } from '../cohorts/save-as-cohort.tsx';
import { peopleColumns } from './columns.tsx';
import { OPERATORS, SORTS, search, whereOf } from './search.ts';

const IDENTIFY = "switchboard.identify('user-1', { name: 'Ada', plan: 'pro' });";

export function Page() {
  const { project, pathOf } = usePlace();
  const navigate = useNavigate();
  const [found, setSearch] = usePageSearch(search);
  const params = { projectId: project.id };
  const filters = {
    search: found.search,
    cohort: found.cohort,
    sort: found.sort,
    where: whereOf(found),
  };
  const { query, more } = useList(['listPeople', project.id, filters], async (client, cursor, options) => {
    const { people, nextCursor } = await client.call(
      'listPeople',
      { params, query: { ...filters, ...cursor } },
      options,
    );
    return { items: people, nextCursor };
  });
  const cohorts = useCall(['listCohorts', project.id], (client, options) =>
    client.call('listCohorts', { params }, options),
  );
  const columns = useMemo(peopleColumns, []);
  const isFiltered = Object.values(filters).some((value) => value !== undefined);
  const sent = new URLSearchParams(
    Object.entries(filters).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const path = `/v1/projects/${encodeURIComponent(project.id)}/people`;
  return (
    <PageLayout
      title={t('People')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: sent.size === 0 ? path : `${path}?${sent}` }}
            command={`switchboard people ${project.id}`}
          />
          <SaveAsCohort
            read={(client, cursor) => client.call('listPeople', { params, query: { ...filters, ...cursor } })}
          />
        </>
      }
    >
      <Bar>
        <Filter
          label={t('Id, name or email')}
          value={found.search}
          onChange={(value) => setSearch({ search: value })}
        />
        <SelectFilter
          label={t('All cohorts')}
          value={found.cohort}
          options={(cohorts.data?.cohorts ?? []).map(({ id, name }) => ({ value: id, title: name }))}
          onChange={(value) => setSearch({ cohort: value })}
        />
        <Filter label={t('Trait')} value={found.trait} onChange={(value) => setSearch({ trait: value })} />
        <SelectFilter
          label={t('is')}
          value={found.op}
          options={operatorOptions()}
          onChange={(value) => setSearch({ op: OPERATORS.find((one) => one === value) })}
        />
        <Filter label={t('Value')} value={found.value} onChange={(value) => setSearch({ value })} />
        <SelectFilter
          label={t('Last seen first')}
          value={found.sort}
          options={[{ value: 'first_seen', title: t('First seen first') }]}
          onChange={(value) => setSearch({ sort: SORTS.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(people) =>
          people.length > 0 ? (
            <Table
              label={t('People')}
              columns={columns}
              rows={people}
              keyOf={keyOf}
              onOpen={({ distinctId }) =>
                void navigate({ to: pathOf(`/people/${encodeURIComponent(distinctId)}`) })
              }
              more={more}
            />
          ) : isFiltered ? (
            <Empty text={t('No person matches the filters.')} />
          ) : (
            <Empty text={t('No person has sent an event yet. Identify your users.')}>
              <Code text={IDENTIFY} name={t('the call')} />
            </Empty>
          )
        }
      </Loaded>
    </PageLayout>
  );
}

const keyOf = ({ distinctId }: ListedPerson) => distinctId;

const operatorOptions = () => [
  { value: 'neq', title: t('is not') },
  { value: 'contains', title: t('contains') },
  { value: 'gte', title: t('is at least') },
  { value: 'lte', title: t('is at most') },
  { value: 'is_set', title: t('is set') },
  { value: 'is_not_set', title: t('is not set') },
];
