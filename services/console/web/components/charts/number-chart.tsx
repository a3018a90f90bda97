import type { Result } from '@switchboard/management';
import { type Amount, reportAmount, seriesAmount } from '@switchboard/report-content/totals';
import { t } from '../../app/i18n.ts';
import { exact, percent } from '../values.tsx';
import styles from './number-chart.module.css';

type Lines = Extract<Result<'askInsight'>['report'], { kind: 'line' }>;

/** Returns the total of the report, or those of its series if they count different things. */
function amountsOf(content: Lines): { name: string; amount: Amount }[] {
  const whole = reportAmount(content);
  const isOfParts = content.breakdown !== undefined || content.series.length > 1;
  if (whole !== undefined && isOfParts) return [{ name: t('Total'), amount: whole }];
  return content.series.map((one) => ({
    name: one.name,
    amount: seriesAmount(one, one.unit ?? content.unit),
  }));
}

function changeOf(now: number, before: number): string {
  const from = exact(before);
  if (now === before) return t('= same as {from} before', { from });
  const by = before === 0 ? exact(Math.abs(now)) : percent(Math.abs((now - before) / before));
  return now > before
    ? t('▲ {by} more than {from} before', { by, from })
    : t('▼ {by} less than {from} before', { by, from });
}

/** The totals of a report as large numbers, with their change from the compared period. */
export function NumberChart({ content, label }: { content: Lines; label: string }) {
  return (
    <ul className={styles['numbers']} aria-label={label}>
      {amountsOf(content).map(({ name, amount: { total, previousTotal } }) => (
        <li key={name}>
          <span>{name}</span>
          <strong>{total === null ? '–' : exact(total)}</strong>
          {total === null || previousTotal == null ? null : <span>{changeOf(total, previousTotal)}</span>}
        </li>
      ))}
    </ul>
  );
}
