import type { Result } from '@switchboard/management';
import { drawSlices, MAX_SLICES, PIE_RADIUS, slicesOf } from '@switchboard/report-content/pie';
import { t } from '../../app/i18n.ts';
import { Empty } from '../state.tsx';
import { exact, percent } from '../values.tsx';
import styles from './pie-chart.module.css';

/** The distance of the percentages from the middle. */
const LABEL_RADIUS = 127;
const VIEW = LABEL_RADIUS + 24;
const LARGEST_PX = 280;

interface PieChartProps {
  content: Extract<Result<'askInsight'>['report'], { kind: 'line' }>;
  label: string;
  height?: number | undefined;
}

/** The shares of the series in their total, with their values beside the pie. */
export function PieChart({ content, label, height = LARGEST_PX }: PieChartProps) {
  const slices = slicesOf(content, (count) => t('{count} more in the table', { count })).map(
    ({ colour, ...slice }) => ({
      ...slice,
      hue: colour < MAX_SLICES ? `var(--series-${colour + 1})` : 'var(--text-muted)',
    }),
  );
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
