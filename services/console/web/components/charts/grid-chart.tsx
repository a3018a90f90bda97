import type { Result } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import styles from '../chart.module.css';
import { percent, short } from '../values.tsx';

const FULL = 100;

interface GridChartProps {
  content: Extract<Result<'askInsight'>['report'], { kind: 'grid' }>;
  label: string;
}

/** A table of percentages, in which larger ones have a stronger colour. */
export function GridChart({ content: { periods, rows, breakdown }, label }: GridChartProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard.
    <section className={styles['scroll']} tabIndex={0} aria-label={label}>
      <table className={styles['grid']}>
        <thead>
          <tr>
            <th scope="col">{breakdown ?? t('Group')}</th>
            <th scope="col">{t('Size')}</th>
            {periods.map((period) => (
              <th key={period} scope="col">
                {period}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ name, size, values }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>{size === undefined ? '–' : short(size)}</td>
              {periods.map((period, at) => {
                const value = values[at] ?? null;
                const share = `${Math.round(Math.min(FULL, Math.max(0, value ?? 0)) * 0.45)}%`;
                const background = `color-mix(in oklab, var(--series-1) ${share}, transparent)`;
                return (
                  <td key={period} style={value === null ? {} : { background }}>
                    {value === null ? '' : percent(value / FULL)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
