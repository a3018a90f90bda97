import { drawPaths, nodesOf, type Paths } from '@switchboard/report-content/paths';
import { t } from '../../app/i18n.ts';
import { percent, short } from '../values.tsx';
import styles from './paths-chart.module.css';
import { useWidth } from './use-width.ts';

interface PathsChartProps {
  content: Paths;
  label: string;
  /** Opens the people behind an event, by its row in the table. */
  onOpen?: ((place: { series: number; at: number }) => void) | undefined;
}

/** The least width of five levels with readable names. */
const MIN_WIDTH = 640;

/** Draws paths as bands between the events of each level. Each event is a button with its people. */
export function PathsChart({ content, label, onOpen }: PathsChartProps) {
  const [ref, width] = useWidth<HTMLElement>();
  const wide = Math.max(width, MIN_WIDTH);
  const { height, pitch, bar, nodes, links } = drawPaths(content, wide);
  const total = Math.max(0, ...content.levels.map((of) => of.reduce((sum, { count }) => sum + count, 0)));
  const rows = nodesOf(content);
  const nameOf = (level: number, place: number) => content.levels[level]?.[place]?.name ?? '';
  if (rows.length === 0) return <p>{t('No person has such an event in the range.')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area must be reachable by keyboard.
    <section className={styles['scroll']} ref={ref} tabIndex={0} aria-label={label}>
      <div className={styles['paths']} style={{ inlineSize: wide, blockSize: height }}>
        <svg width={wide} height={height} aria-hidden="true">
          {links.map(({ d, link: { level, from, to, count } }) => (
            <path key={`${level} ${from} ${to}`} d={d} className={styles['band']}>
              <title>{`${nameOf(level, from)} → ${nameOf(level + 1, to)}: ${short(count)}`}</title>
            </path>
          ))}
          {nodes.map(({ level, place, x, y, height: size, ended }) => (
            <g key={`${level} ${place}`}>
              <rect x={x} y={y} width={bar} height={Math.max(size, 1)} className={styles['bar']} />
              <rect x={x} y={y + size - ended} width={bar} height={ended} className={styles['ended']} />
            </g>
          ))}
        </svg>
        <ol>
          {nodes.map(({ level, place, x, y, node: { name, count, ended = 0 } }, at) => {
            const about = `${short(count)} · ${percent(total === 0 ? 0 : count / total)}`;
            const further = ended > 0 ? t('{count} without a further event', { count: short(ended) }) : '';
            const title = [`${level + 1}. ${name}`, about, further].filter(Boolean).join('\n');
            return (
              <li
                key={`${level} ${place}`}
                style={{ left: x + bar + 4, top: y, inlineSize: pitch - bar - 8 }}
              >
                <button
                  type="button"
                  title={title}
                  disabled={onOpen === undefined}
                  onClick={() => onOpen?.({ series: 0, at })}
                >
                  <strong>{name}</strong>
                  <span>{about}</span>
                </button>
              </li>
            );
          })}
        </ol>
      </div>
    </section>
  );
}
