import type { Company } from '@switchboard/management';
import { useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Filter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { CompanyDetail } from './company.tsx';
import { CreateCompany } from './create.tsx';
import { FirstProject } from './first-project.tsx';
import { search } from './search.ts';

/** The companies of the deployment. */
export function Page() {
  const [{ find = '', open, create }, setSearch] = usePageSearch(search);
  const { query, more } = useList(['listCompanies'], async (client, cursor, options) => {
    const { companies, nextCursor } = await client.call('listCompanies', { query: cursor }, options);
    return { items: companies, nextCursor };
  });
  const wanted = find.trim().toLocaleLowerCase();
  return (
    <PageLayout
      title={t('Companies')}
      actions={
        <>
          <CopyAs command="switchboard get companies" />
          <Button keys="c" kind="primary" onClick={() => setSearch({ create: true })}>
            {t('Create company')}
          </Button>
        </>
      }
    >
      <Bar>
        <Filter label={t('Name or id')} value={find} onChange={(value) => setSearch({ find: value })} />
      </Bar>
      <Loaded query={query}>
        {(companies) => {
          const shown = companies.filter(({ id, name }) =>
            `${id} ${name}`.toLocaleLowerCase().includes(wanted),
          );
          const opened = companies.find(({ id }) => id === open);
          return (
            <ListDetail
              list={
                companies.length === 0 ? (
                  <FirstProject />
                ) : shown.length === 0 ? (
                  <Empty text={t('No company matches the filter.')} />
                ) : (
                  <Table
                    label={t('Companies')}
                    columns={columns()}
                    rows={shown}
                    keyOf={({ id }) => id}
                    open={open}
                    onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    more={more}
                  />
                )
              }
              detail={
                opened && {
                  title: opened.name,
                  content: (
                    <CompanyDetail
                      key={JSON.stringify(opened)}
                      company={opened}
                      onDeleted={() => setSearch({ open: undefined })}
                    />
                  ),
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
      {create === true ? (
        <CreateCompany
          onCreated={(id) => setSearch({ create: undefined, open: id })}
          onClose={() => setSearch({ create: undefined })}
        />
      ) : null}
    </PageLayout>
  );
}

const columns = (): Column<Company>[] => [
  { title: t('Name'), cell: ({ name }) => name },
  { title: t('Id'), cell: ({ id }) => <code>{id}</code>, minor: true },
  { title: t('Plan'), cell: ({ plan: { tier, cycle } }) => `${tier} / ${cycle}`, width: '200px' },
];
