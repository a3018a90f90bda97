import { useMemo } from 'react';
import type { GroupState } from '../../../src/operator/deployment-state.ts';
import { t } from '../../app/i18n.ts';
import { oneOf, type RawSearch, text } from '../../app/page.ts';
import { usePageSearch } from '../../app/search.ts';
import { Code } from '../../components/code.tsx';
import { Filter, SelectFilter } from '../../components/field.tsx';
import { Bar, PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count } from '../../components/values.tsx';
import styles from '../operator.module.css';
import { useDeployment } from './use-state.ts';

const BEHIND = ['behind'] as const;
const search = (raw: RawSearch) => ({ find: text(raw['find']), only: oneOf(BEHIND, raw['only']) });

/** The topics of the event log, and how far each consumer group is. */
export function Page() {
  const [{ find = '', only }, setSearch] = usePageSearch(search);
  const query = useDeployment();
  const columns = useMemo(groupColumns, []);
  return (
    <PageLayout title={t('Topics')}>
      <Bar>
        <Filter label={t('Topic or group')} value={find} onChange={(value) => setSearch({ find: value })} />
        <SelectFilter
          label={t('All groups')}
          value={only}
          options={[{ value: 'behind', title: t('With records to handle') }]}
          onChange={(value) => setSearch({ only: oneOf(BEHIND, value) })}
        />
      </Bar>
      <Loaded query={query}>
        {({ groups }) => {
          const shown = groups.filter(
            ({ group, topic, behind }) =>
              `${topic} ${group}`.includes(find.trim()) && (only === undefined || behind > 0),
          );
          return shown.length === 0 ? (
            <Empty
              text={
                groups.length === 0
                  ? t('No service reports its consumer groups. Open Health to see which ones answer.')
                  : t('No consumer group matches the filters.')
              }
            />
          ) : (
            <Table
              label={t('Consumer groups')}
              columns={columns}
              rows={shown}
              keyOf={({ group, topic }) => `${group} ${topic}`}
              onOpen={({ topic }) => setSearch({ find: topic }, { push: true })}
            />
          );
        }}
      </Loaded>
      <Section title={t('More partitions')}>
        <p className={styles['text']}>
          {t(
            'The command needs the settings of the event log and holds events back until every group has read the topic, so it has no page.',
          )}
        </p>
        <Code text="switchboard topics repartition events --to 64" name={t('the command')} />
      </Section>
    </PageLayout>
  );
}

const groupColumns = (): Column<GroupState>[] => [
  { title: t('Consumer group'), cell: ({ group }) => group },
  { title: t('Topic'), cell: ({ topic }) => topic, width: '144px', minor: true },
  {
    title: t('Partitions'),
    cell: ({ partitions }) => partitions,
    width: '88px',
    align: 'end',
    minor: true,
  },
  {
    title: t('Processes'),
    cell: ({ members }) => members ?? '–',
    width: '96px',
    align: 'end',
    minor: true,
  },
  { title: t('To handle'), cell: ({ behind }) => <Count value={behind} />, width: '96px', align: 'end' },
];
