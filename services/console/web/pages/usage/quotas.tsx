import type { Result } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Table } from '../../components/table.tsx';
import { Count, percent } from '../../components/values.tsx';
import styles from './usage.module.css';

interface QuotasProps {
  quotas: Result<'getCompanyUsage'>['quotas'];
  /** The bytes of AI translations. Undefined until they are read; most is null without a limit. */
  translations: { used: number; most: number | null } | undefined;
}

interface Row {
  name: string;
  used: number;
  most: number | null;
}

/** The quotas of a company, each with its use. */
export function Quotas({ quotas, translations }: QuotasProps) {
  const rows: Row[] = [
    { name: t('Members'), ...quotas.seats },
    { name: t('Projects'), ...quotas.projects },
    { name: t('Reports'), ...quotas.reports },
    { name: t('Reports that refresh'), ...quotas.refreshedReports },
    ...(translations === undefined
      ? []
      : [{ name: t('AI translations this month, bytes'), ...translations }]),
  ];
  return (
    <Table
      label={t('Quotas')}
      columns={[
        { title: t('Quota'), cell: ({ name }: Row) => name },
        { title: t('Used'), width: '64px', align: 'end', cell: ({ used }) => <Count value={used} /> },
        {
          title: t('Allowed'),
          width: '104px',
          align: 'end',
          cell: ({ most }) =>
            most === null ? t('No limit') : most === 0 ? t('Not in the plan') : <Count value={most} />,
        },
        { title: t('Share'), width: '180px', minor: true, cell: (row) => <Share {...row} /> },
      ]}
      rows={rows}
      keyOf={({ name }) => name}
    />
  );
}

/** The used share of a quota. It turns to a warning from 80%, and to danger when nothing is left. */
function Share({ name, used, most }: Row) {
  if (most === null || most === 0) return null;
  return (
    <meter
      className={styles['meter']}
      aria-label={t('{name}: {share} used', { name, share: percent(used / most) })}
      title={percent(used / most)}
      min={0}
      max={most}
      low={most * 0.8}
      high={Math.max(most - 0.5, most * 0.8)}
      optimum={0}
      value={Math.min(used, most)}
    />
  );
}
