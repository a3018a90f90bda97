import type { Result } from '@switchboard/management';
import { seriesAmount } from '@switchboard/report-content/totals';
import { t } from '../../app/i18n.ts';
import { Empty } from '../state.tsx';
import { percent } from '../values.tsx';
import styles from './pie-chart.module.css';

/** The number of slices with a hue. The others are one grey slice. */
const MAX_SLICES = 8;
const RADIUS = 100;
/** The distance of the percentages from the middle, and the smallest share that has one. */
const LABEL_RADIUS = 127;
const LABELLED = 0.04;
const VIEW = LABEL_RADIUS + 24;
const LARGEST_PX = 280;

interface Slice {
  name: string;
  amount: number;
  share: number;
  hue: string;
}

/** A slice with the shares of those before it. */
interface Drawn extends Slice {
  from: number;
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

const drawnOf = (slices: readonly Slice[]): Drawn[] =>
  slices.map((slice, at) => ({
    ...slice,
    from: slices.slice(0, at).reduce((sum, { share }) => sum + share, 0),
  }));

/** Returns a point at a share of the circle, clockwise from the top. */
function pointAt(share: number, radius: number): string {
  const angle = 2 * Math.PI * share;
  return `${(radius * Math.sin(angle)).toFixed(2)} ${(-radius * Math.cos(angle)).toFixed(2)}`;
}

function pathOf({ share, from }: Drawn): string {
  const top = `${-RADIUS}`;
  // An arc that ends where it starts draws nothing.
  if (share === 1)
    return `M0 ${top}A${RADIUS} ${RADIUS} 0 1 1 0 ${RADIUS}A${RADIUS} ${RADIUS} 0 1 1 0 ${top}Z`;
  const isLarge = share > 0.5 ? 1 : 0;
  return `M0 0L${pointAt(from, RADIUS)}A${RADIUS} ${RADIUS} 0 ${isLarge} 1 ${pointAt(from + share, RADIUS)}Z`;
}

/** The shares of the series in their total, with their values beside the pie. */
export function PieChart({ content, label, height = LARGEST_PX }: PieChartProps) {
  const slices = slicesOf(content);
  if (slices.length === 0) return <Empty text={t('No values to divide.')} />;
  const drawn = drawnOf(slices);
  const size = Math.min(LARGEST_PX, height);
  const summary = slices.map(({ name, share }) => `${name}: ${percent(share)}`).join('; ');
  return (
    <figure className={styles['pie']}>
      <svg
        width={size}
        height={size}
        viewBox={`${-VIEW} ${-VIEW} ${2 * VIEW} ${2 * VIEW}`}
        role="img"
        aria-label={`${label}. ${summary}`}
      >
        {drawn.map((one) => (
          <path key={one.hue} d={pathOf(one)} fill={one.hue}>
            <title>{`${one.name}: ${one.amount.toLocaleString()} (${percent(one.share)})`}</title>
          </path>
        ))}
        {drawn.map((one) =>
          one.share < LABELLED ? null : (
            <text
              key={one.hue}
              transform={`translate(${pointAt(one.from + one.share / 2, LABEL_RADIUS)})`}
              dy="0.32em"
            >
              {percent(one.share)}
            </text>
          ),
        )}
      </svg>
      <ul aria-label={t('Shares')}>
        {slices.map(({ name, amount, share, hue }) => (
          <li key={hue}>
            <i style={{ background: hue }} />
            <span>{name}</span>
            <span>{amount.toLocaleString()}</span>
            <strong>{percent(share)}</strong>
          </li>
        ))}
      </ul>
    </figure>
  );
}
