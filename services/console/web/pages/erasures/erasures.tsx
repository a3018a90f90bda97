import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { ErasePerson } from './erase-person.tsx';
import { columns, kindWord, Progress, stateWord } from './progress.tsx';
import { STATES, search } from './search.ts';

const REFRESH_MS = 5_000;

/** The erasures of the company and its projects, with what each service still has to do. */
export function Page() {
  const { company } = usePlace();
  const [{ state, project, open, erase }, setSearch] = usePageSearch(search);
  const projects = useCall(['listOwnProjects'], (client, options) =>
    client.call('listOwnProjects', {}, options),
  );
  const { query, more } = useList(
    ['listCompanyErasures', company.id, state, project],
    async (client, cursor, options) => {
      const { erasures, nextCursor } = await client.call(
        'listCompanyErasures',
        { params: { companyId: company.id }, query: { state, projectId: project, ...cursor } },
        options,
      );
      return { items: erasures, nextCursor };
    },
    { refreshMs: REFRESH_MS },
  );
  const isFiltered = state !== undefined || project !== undefined;
  const known = (projects.data?.projects ?? []).filter(({ companyId }) => companyId === company.id);
  return (
    <PageLayout
      title={t('Erasures')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/companies/${encodeURIComponent(company.id)}/erasures` }}
            command={`switchboard erase list --company ${company.id}`}
          />
          <Button keys="c" kind="primary" onClick={() => setSearch({ erase: true })}>
            {t('Erase person')}
          </Button>
        </>
      }
    >
      <Bar>
        <SelectFilter
          label={t('All states')}
          value={state}
          options={STATES.map((value) => ({ value, title: stateWord(value) }))}
          onChange={(value) => setSearch({ state: STATES.find((one) => one === value) })}
        />
        <SelectFilter
          label={t('All projects')}
          value={project}
          options={withGone(known, project)}
          onChange={(value) => setSearch({ project: value })}
        />
      </Bar>
      <Loaded query={query}>
        {(erasures) => {
          const opened = erasures.find(({ id }) => id === open);
          return (
            <ListDetail
              list={
                erasures.length > 0 ? (
                  <Table
                    label={t('Erasures')}
                    columns={columns()}
                    rows={erasures}
                    keyOf={({ id }) => id}
                    open={open}
                    onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                    more={more}
                  />
                ) : isFiltered ? (
                  <Empty text={t('No erasure matches the filters.')} />
                ) : (
                  <Empty
                    text={t('Nothing was erased. Deleting a project starts its erasure and shows it here.')}
                  >
                    <Button keys="c" onClick={() => setSearch({ erase: true })}>
                      {t('Erase a person')}
                    </Button>
                  </Empty>
                )
              }
              detail={
                opened && {
                  title: kindWord(opened.kind),
                  content: <Progress erasure={opened} />,
                  onClose: () => setSearch({ open: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
      {erase === true ? (
        <ErasePerson
          onBegun={(id) => setSearch({ erase: undefined, state: undefined, project: undefined, open: id })}
          onClose={() => setSearch({ erase: undefined })}
        />
      ) : null}
    </PageLayout>
  );
}

/** Adds the project of the address, which may be deleted. */
function withGone(known: readonly { id: string; name: string }[], project: string | undefined) {
  const options = known.map(({ id, name }) => ({ value: id, title: name }));
  return project === undefined || known.some(({ id }) => id === project)
    ? options
    : [...options, { value: project, title: project }];
}
