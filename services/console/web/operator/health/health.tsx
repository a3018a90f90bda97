import type { ServiceState } from '../../../src/operator/deployment-state.ts';
import { t } from '../../app/i18n.ts';
import { type RawSearch, text } from '../../app/page.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Facts, ListDetail, PageLayout, Section } from '../../components/layout.tsx';
import { Loaded, Partial } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { FirstProject } from '../companies/first-project.tsx';
import { LogLevel } from './log-level.tsx';
import { SigningKeys } from './signing-keys.tsx';
import { useDeployment } from './use-state.ts';

const search = (raw: RawSearch) => ({ open: text(raw['open']) });

/** Whether each service and its dependencies answer, and what runs. */
export function Page() {
  const [{ open }, setSearch] = usePageSearch(search);
  const query = useDeployment();
  return (
    <PageLayout title={t('Health')}>
      <FirstProject />
      <Loaded query={query}>
        {({ services }) => {
          const opened = services.find(({ service }) => service === open);
          const ready = services.filter(({ status }) => status === 'ready').length;
          return (
            <>
              {ready === services.length ? null : (
                <Partial text={t('{ready} of {all} services are ready.', { ready, all: services.length })} />
              )}
              <ListDetail
                list={
                  <Table
                    label={t('Services')}
                    columns={columns()}
                    rows={services}
                    keyOf={({ service }) => service}
                    open={open}
                    onOpen={({ service }) => setSearch({ open: service }, { push: true })}
                  />
                }
                detail={
                  opened && {
                    title: opened.service,
                    content: <Service state={opened} />,
                    onClose: () => setSearch({ open: undefined }),
                  }
                }
              />
              {services.some(({ service }) => service === 'identity') ? <SigningKeys /> : null}
            </>
          );
        }}
      </Loaded>
      <LogLevel />
    </PageLayout>
  );
}

const columns = (): Column<ServiceState>[] => [
  { title: t('Service'), cell: ({ service }) => service },
  { title: t('State'), cell: (state) => <State state={state} />, width: '112px' },
  {
    title: t('Dependencies'),
    cell: ({ dependencies }) => <Dependencies dependencies={dependencies} />,
    minor: true,
  },
  { title: t('Version'), cell: ({ version }) => version ?? '–', width: '88px', minor: true },
  {
    title: t('Started'),
    cell: ({ startedAt }) => (startedAt === null ? '–' : <Time at={startedAt} />),
    width: '112px',
  },
];

function State({ state: { status } }: { state: ServiceState }) {
  if (status === 'ready') return <Badge tone="good">{t('Ready')}</Badge>;
  return status === 'unreachable' ? (
    <Badge tone="danger">{t('Unreachable')}</Badge>
  ) : (
    <Badge tone="warning">{t('Not ready')}</Badge>
  );
}

function Dependencies({ dependencies }: Pick<ServiceState, 'dependencies'>) {
  const down = dependencies.filter(({ isUp }) => !isUp);
  if (dependencies.length === 0) return '–';
  return down.length === 0
    ? dependencies.map(({ name }) => name).join(', ')
    : t('No answer: {names}', { names: down.map(({ name }) => name).join(', ') });
}

function Service({ state }: { state: ServiceState }) {
  const { problems, dependencies, version, revision, startedAt } = state;
  return (
    <>
      <Facts
        facts={[
          [t('State'), <State key="state" state={state} />],
          [t('Version'), version ?? '–'],
          [t('Revision'), revision ?? '–'],
          [t('Started'), startedAt === null ? '–' : <Time key="started" at={startedAt} />],
        ]}
      />
      {Object.keys(problems).length === 0 ? null : (
        <Section title={t('Why')}>
          <Facts facts={Object.entries(problems)} />
        </Section>
      )}
      {dependencies.length === 0 ? null : (
        <Section title={t('Dependencies')}>
          <Facts
            facts={dependencies.map(({ name, isUp }) => [
              name,
              isUp ? (
                <Badge key={name} tone="good">
                  {t('Answers')}
                </Badge>
              ) : (
                <Badge key={name} tone="danger">
                  {t('No answer')}
                </Badge>
              ),
            ])}
          />
        </Section>
      )}
      <p>{t('One instance answered. The metrics of every instance are in Grafana.')}</p>
    </>
  );
}
