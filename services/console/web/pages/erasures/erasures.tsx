import type { Erasure } from '@switchboard/management';
import { useCall, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { Id } from '../../components/code.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Bar, Facts, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { ErasePerson } from './erase-person.tsx';
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
          <Button kind="primary" onClick={() => setSearch({ erase: true })}>
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
                  />
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

const stateWord = (state: Erasure['state']) => (state === 'done' ? t('Done') : t('Running'));

const kindWord = (kind: Erasure['kind']) =>
  ({
    person: t('A person'),
    colleague: t('A colleague'),
    project: t('A project'),
    company: t('The company'),
  })[kind];

function State({ erasure: { state, services } }: { erasure: Erasure }) {
  const done = services.filter(({ doneAt }) => doneAt !== null).length;
  return state === 'done' ? (
    <Badge tone="good">{stateWord(state)}</Badge>
  ) : (
    <Badge tone="warning">{t('{done} of {all} services', { done, all: services.length })}</Badge>
  );
}

const columns = (): Column<Erasure>[] => [
  { title: t('Erased'), cell: ({ kind }) => kindWord(kind) },
  { title: t('Project'), cell: ({ projectId }) => projectId ?? '–', minor: true },
  { title: t('State'), cell: (erasure) => <State erasure={erasure} />, width: '152px' },
  { title: t('Started'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '112px' },
];

function Progress({ erasure }: { erasure: Erasure }) {
  const { id, projectId, createdAt, services } = erasure;
  return (
    <>
      <Facts
        facts={[
          [t('Id'), <Id key="id" value={id} name={t('id')} />],
          [t('State'), <State key="state" erasure={erasure} />],
          [t('Project'), projectId ?? '–'],
          [t('Started'), <Time key="started" at={createdAt} />],
        ]}
      />
      <Facts
        facts={services.map(({ region, service, doneAt }) => [
          `${service} (${region})`,
          doneAt === null ? (
            <Badge tone="warning">{t('waiting')}</Badge>
          ) : (
            <>
              {t('done')} <Time at={doneAt} />
            </>
          ),
        ])}
      />
      <p>
        {t(
          'A service is done once it has read and erased all that the event log held at the request. The archive takes the longest.',
        )}
      </p>
    </>
  );
}
