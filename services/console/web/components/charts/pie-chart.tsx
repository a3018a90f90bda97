import type { Result } from '@switchboard/management';
import { drawSlices, PIE_RADIUS } from '@switchboard/report-content/pie';
import { seriesAmount } from '@switchboard/report-content/totals';
import { t } from '../../app/i18n.ts';
import { Empty } from '../state.tsx';
import { exact, percent } from '../values.tsx';
import styles from './pie-chart.module.css';

/** The number of slices with a hue. The others are one grey slice. */
const MAX_SLICES = 8;
/** The distance of the percentages from the middle. */
const LABEL_RADIUS = 127;
const VIEW = LABEL_RADIUS + 24;
const LARGEST_PX = 280;

interface Slice {
  name: string;
  amount: number;
  share: number;
  hue: string;
}

interface PieChartProps {
  content: Extract<Result<'askInsight'>['report'], { kind: 'line' }>;
  label: string;
  height?: number | undefined;
}

/** Returns the slices of the series with a total above zero, the largest first. */
function slicesOf({ series, unit }: PieChartProps['content']): Slice[] {
  const amounts = series
    .map((one, at) => ({ at, name: one.name, amount: seriesAmount(one, one.unit ?? unit).total ?? 0 }))
    .filter(({ amount }) => amount > 0)
    .sort((one, other) => other.amount - one.amount);
  const sum = (some: typeof amounts) => some.reduce((all, { amount }) => all + amount, 0);
  const whole = sum(amounts);
  const largest = amounts.slice(0, MAX_SLICES);
  // Up to eight series have the hues of other displays.
  const hues = series.length > MAX_SLICES ? largest.map(({ at }) => at).sort((a, b) => a - b) : undefined;
  const slices = largest.map(({ at, name, amount }) => {
    const hueAt = hues === undefined ? at : hues.indexOf(at);
    return { name, amount, share: amount / whole, hue: `var(--series-${hueAt + 1})` };
  });
  const rest = amounts.slice(MAX_SLICES);
  if (rest.length === 0) return slices;
  const amount = sum(rest);
  const name = t('{count} more in the table', { count: rest.length });
  return [...slices, { name, amount, share: amount / whole, hue: 'var(--text-muted)' }];
}

/** The shares of the series in their total, with their values beside the pie. */
export function PieChart({ content, label, height = LARGEST_PX }: PieChartProps) {
  const slices = slicesOf(content);
  if (slices.length === 0) return <Empty text={t('No values to divide.')} />;
  const drawn = drawSlices(
    slices.map(({ share }) => share),
    LABEL_RADIUS,
  );
  const size = Math.min(LARGEST_PX, height);
  const summary = slices.map(({ name, share }) => `${name}: ${percent(share)}`).join('; ');
  return (
    <figure className={styles['pie']}>
      {content.breakdown === undefined ? null : (
        <p className={styles['by']}>{t('By {name}:', { name: content.breakdown })}</p>
      )}
      <div>
        <svg
          width={size}
          viewBox={`${-VIEW} ${-VIEW} ${2 * VIEW} ${2 * VIEW}`}
          role="img"
          aria-label={`${label}. ${summary}`}
        >
          {slices.map(({ name, amount, share, hue }, at) => {
            const d = drawn[at]?.d;
            const title = <title>{`${name}: ${exact(amount)} (${percent(share)})`}</title>;
            return d === undefined ? (
              <circle key={hue} r={PIE_RADIUS} fill={hue}>
                {title}
              </circle>
            ) : (
              <path key={hue} d={d} fill={hue}>
                {title}
              </path>
            );
          })}
          {slices.map(({ share, hue }, at) => {
            const place = drawn[at]?.label;
            return place === undefined ? null : (
              <text key={hue} x={place.x} y={place.y} dy="0.32em">
                {percent(share)}
              </text>
            );
          })}
        </svg>
        <ul aria-label={t('Shares')}>
          {slices.map(({ name, amount, share, hue }) => (
            <li key={hue}>
              <i style={{ background: hue }} />
              <span>{name}</span>
              <span>{exact(amount)}</span>
              <strong>{percent(share)}</strong>
            </li>
          ))}
        </ul>
      </div>
    </figure>
  );
}
