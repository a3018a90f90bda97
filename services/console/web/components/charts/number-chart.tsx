import type { Result } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { percent } from '../values.tsx';
import styles from './number-chart.module.css';

type Lines = Extract<Result<'askInsight'>['report'], { kind: 'line' }>;

interface Amount {
  name: string;
  now: number | null;
  before: number | null | undefined;
}

const sumOf = (values: readonly (number | null)[]) =>
  values.reduce<number>((sum, value) => sum + (value ?? 0), 0);

/** Returns the total of each series. The parts of a breakdown of one series have one total. */
function amountsOf({ series, breakdown, total }: Lines): Amount[] {
  const each = series.map((one) => ({
    name: one.name,
    now: one.total === undefined ? sumOf(one.values) : one.total,
    before: one.previousTotal ?? (one.previous === undefined ? undefined : sumOf(one.previous)),
  }));
  if (breakdown === undefined || total === null) return each;
  const before = each.map((one) => one.before);
  return [
    {
      name: t('Total'),
      now: sumOf(each.map(({ now }) => now)),
      before: before.includes(undefined) ? undefined : sumOf(before.map((one) => one ?? null)),
    },
  ];
}

function changeOf(now: number, before: number): string {
  const from = before.toLocaleString();
  if (now === before) return t('= same as {from} before', { from });
  const by = before === 0 ? Math.abs(now).toLocaleString() : percent(Math.abs((now - before) / before));
  return now > before
    ? t('▲ {by} more than {from} before', { by, from })
    : t('▼ {by} less than {from} before', { by, from });
}

/** The totals of a report as large numbers, with their change from the compared period. */
export function NumberChart({ content, label }: { content: Lines; label: string }) {
  return (
    <ul className={styles['numbers']} aria-label={label}>
      {amountsOf(content).map(({ name, now, before }) => (
        <li key={name}>
          <span>{name}</span>
          <strong>{now === null ? '–' : now.toLocaleString()}</strong>
          {now === null || before == null ? null : <span>{changeOf(now, before)}</span>}
        </li>
      ))}
    </ul>
  );
}
