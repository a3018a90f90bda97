import type { FlagEntry } from '@switchboard/management';
import { useCall } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Code } from '../../components/code.tsx';
import { CopyAs, curlOf } from '../../components/copy-as.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { FlagDetail } from './flag.tsx';
import { FlagState } from './flag-state.tsx';
import { STATES, search } from './search.ts';

export function Page() {
  const { project } = usePlace();
  const [{ find, state, open }, setSearch] = usePageSearch(search);
  const query = useCall(['listFlags', project.id], (client, options) =>
    client.call('listFlags', { params: { projectId: project.id } }, options),
  );
  return (
    <PageLayout
      title={t('Flags')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/flags` }}
          command={`switchboard get flags ${project.id}`}
        />
      }
    >
      <Bar>
        <Filter label={t('Find a flag')} value={find} onChange={(value) => setSearch({ find: value })} />
        <SelectFilter
          label={t('On and off')}
          value={state}
          options={[
            { value: 'on', title: t('On') },
            { value: 'off', title: t('Off') },
          ]}
          onChange={(value) => setSearch({ state: STATES.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {({ flags }) => {
          const shown = flags.filter((flag) => matches(flag, find, state));
          const opened = flags.find(({ key }) => key === open);
          return (
            <ListDetail
              list={
                flags.length === 0 ? (
                  <Empty text={t('This project has no flags. Create one:')}>
                    <Code text={createCall(project.id)} name={t('the call')} />
                  </Empty>
                ) : shown.length === 0 ? (
                  <Empty text={t('No flag matches the filters.')} />
                ) : (
                  <Table
                    label={t('Flags')}
                    columns={columns()}
                    rows={shown}
                    keyOf={keyOf}
                    open={open}
                    onOpen={({ key }) => setSearch({ open: key }, { push: true })}
                  />
                )
              }
              detail={
                opened && {
                  title: opened.key,
                  content: <FlagDetail key={opened.key} flag={opened} />,
                  onClose: () => setSearch({ open: undefined, person: undefined }),
                }
              }
            />
          );
        }}
      </Loaded>
    </PageLayout>
  );
}

const createCall = (projectId: string) =>
  curlOf(
    {
      method: 'PUT',
      path: `/v1/projects/${encodeURIComponent(projectId)}/flags/new-checkout`,
      body: { enabled: true, rolloutPercentage: 50 },
    },
    '$API',
  );

const keyOf = ({ key }: FlagEntry) => key;

function matches({ key, description, enabled }: FlagEntry, find = '', state?: 'on' | 'off'): boolean {
  const wanted = find.toLocaleLowerCase();
  const isFound = [key, description ?? ''].some((one) => one.toLocaleLowerCase().includes(wanted));
  return isFound && (state === undefined || enabled === (state === 'on'));
}

const columns = (): Column<FlagEntry>[] => [
  { title: t('Key'), cell: ({ key }) => key },
  {
    title: t('State'),
    cell: ({ enabled }) => <FlagState enabled={enabled} />,
    width: '72px',
  },
  {
    title: t('Rollout'),
    cell: ({ rolloutPercentage }) => `${rolloutPercentage}%`,
    width: '80px',
    align: 'end',
  },
  { title: t('Type'), cell: ({ type }) => type ?? 'boolean', width: '80px', minor: true },
  {
    title: t('Rules'),
    cell: ({ rules }) => rules?.length ?? 0,
    width: '64px',
    align: 'end',
    minor: true,
  },
  { title: t('Description'), cell: ({ description }) => description ?? '–', minor: true },
];
