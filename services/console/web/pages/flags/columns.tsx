import type { FlagEntry, FlagUsage } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';
import type { Column } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { Served, Stale } from '../flag-usage/served.tsx';
import { FlagState } from './flag-state.tsx';
import styles from './flags.module.css';
import type { Part } from './search.ts';
import type { LastChange } from './use-flags.ts';
import { intentWords } from './words.ts';

/** A flag on the list. */
export interface Row {
  flag: FlagEntry;
  change: LastChange | undefined;
  parts: readonly Part[];
  usage: FlagUsage | undefined;
  /** How the flag of another project compares. Undefined without one. */
  other: 'same' | 'different' | 'missing' | undefined;
}

/** Returns which parts a flag has. `scheduled` has the keys of flags with scheduled changes. */
export function partsOf(flag: FlagEntry, scheduled: ReadonlySet<string>): Part[] {
  const { rules = [], targeting = [], variations = [], prerequisites = [] } = flag;
  const lengths: readonly (readonly [Part, number])[] = [
    ['rules', rules.length],
    ['targeting', targeting.length],
    ['variations', variations.length],
    ['prerequisites', prerequisites.length],
    ['schedule', scheduled.has(flag.key) ? 1 : 0],
  ];
  return lengths.filter(([, length]) => length > 0).map(([part]) => part);
}

/** The name of a part of a flag. */
export function partTitle(part: Part): string {
  switch (part) {
    case 'rules':
      return t('Rules');
    case 'targeting':
      return t('Targeting');
    case 'variations':
      return t('Variations');
    case 'prerequisites':
      return t('Prerequisites');
    case 'schedule':
      return t('Schedule');
  }
}

interface ColumnsProps {
  authorOf: (sub: string | null) => string;
  /** Turns a flag on or off. Undefined for a person who may not. */
  onSwitch: ((row: Row) => void) | undefined;
  /** The name of the project to compare with. It takes the place of the parts. */
  otherProject: string | undefined;
}

/** The columns of the list of flags. */
export function flagColumns({ authorOf, onSwitch, otherProject }: ColumnsProps): Column<Row>[] {
  return [
    {
      title: t('Key'),
      cell: ({ flag }) => <span title={flag.description ?? undefined}>{flag.key}</span>,
      sort: 'key',
    },
    {
      title: t('State'),
      cell: (row) =>
        onSwitch === undefined ? (
          <FlagState enabled={row.flag.enabled} />
        ) : (
          <button
            type="button"
            role="switch"
            aria-checked={row.flag.enabled}
            aria-label={t('State of {key}', { key: row.flag.key })}
            className={styles['switch']}
            onClick={() => onSwitch(row)}
          >
            <i aria-hidden />
            {row.flag.enabled ? t('On') : t('Off')}
          </button>
        ),
      width: '88px',
    },
    {
      title: t('Rollout'),
      cell: ({ flag }) => `${flag.rolloutPercentage}%`,
      width: '84px',
      align: 'end',
      sort: 'rollout',
    },
    otherProject === undefined
      ? {
          title: t('Parts'),
          cell: ({ flag, parts, usage }) => (
            <span className={styles['tags']}>
              <Stale usage={usage} />
              {flag.intent === undefined ? null : <Badge>{intentWords(flag.intent)}</Badge>}
              {parts.map((part) => (
                <Badge key={part} tone={part === 'schedule' ? 'warning' : 'plain'}>
                  {partTitle(part)}
                </Badge>
              ))}
            </span>
          ),
          minor: true,
        }
      : { title: otherProject, cell: (row: Row) => <Other row={row} />, width: '112px' },
    { title: t('Served'), cell: ({ usage }) => <Served usage={usage} />, width: '168px', minor: true },
    {
      title: t('Changed'),
      cell: ({ change }) =>
        change === undefined ? (
          '–'
        ) : (
          <>
            <Time at={change.at} /> · {authorOf(change.author)}
          </>
        ),
      width: '216px',
      minor: 'early',
      sort: 'changed',
    },
  ];
}

function Other({ row: { other } }: { row: Row }) {
  switch (other) {
    case 'different':
      return <Badge tone="warning">{t('Different')}</Badge>;
    case 'missing':
      return <Badge>{t('Missing')}</Badge>;
    case 'same':
      return t('Same');
    case undefined:
      return '…';
  }
}
