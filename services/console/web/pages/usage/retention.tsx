import type { Result } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';

export type Retained = Result<'getArchiveUsage'>['retention'][number];

const NAMES: Record<Retained['data'], () => string> = {
  events: () => t('Events'),
  recordings: () => t('Recordings'),
  people: () => t('People and groups'),
  conversations: () => t('Conversations'),
  messages: () => t('In-app messages'),
  threads: () => t('Comment threads'),
  shares: () => t('Shares of reports'),
  reportRuns: () => t('Runs of reports'),
  auditEntries: () => t('Audit trail'),
};

/** How long each kind of data is kept, the setting that decides, and the earliest data. */
export function Retention({ retained }: { retained: readonly Retained[] }) {
  return (
    <Table
      label={t('Retention')}
      columns={[
        { title: t('Data'), cell: ({ data }: Retained) => NAMES[data]() },
        {
          title: t('Kept for'),
          width: '112px',
          cell: ({ days }) =>
            days === null ? t('Until erased') : t('{days, plural, one {# day} other {# days}}', { days }),
        },
        {
          title: t('Earliest'),
          width: '104px',
          cell: ({ earliestAt }) =>
            earliestAt === undefined ? '–' : earliestAt === null ? t('None') : <Time at={earliestAt} />,
        },
        { title: t('Setting of the deployment'), minor: true, cell: ({ setting }) => <code>{setting}</code> },
      ]}
      rows={retained}
      keyOf={({ data }) => data}
    />
  );
}
