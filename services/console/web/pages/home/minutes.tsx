import { locale, t } from '../../app/i18n.ts';
import styles from './home.module.css';

const HEIGHT = 48;
const STEP = 8;
const BAR = 6;
const MIN_BAR = 2;

interface MinutesProps {
  minutes: readonly { at: string; events: number }[];
}

/** The events of each minute as bars. The label says the finding to screen readers. */
export function Minutes({ minutes }: MinutesProps) {
  const most = Math.max(0, ...minutes.map(({ events }) => events));
  if (most === 0) return null;
  const heightOf = (events: number) => (events === 0 ? 0 : Math.max(MIN_BAR, (events / most) * HEIGHT));
  return (
    <svg
      className={styles['minutes']}
      viewBox={`0 0 ${minutes.length * STEP} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={t('Events by minute of the last hour; at most {most} in a minute', { most })}
    >
      {minutes.map(({ at, events }, index) => (
        <rect key={at} x={index * STEP} y={HEIGHT - heightOf(events)} width={BAR} height={heightOf(events)}>
          <title>
            {t('{time}: {count, plural, one {# event} other {# events}}', {
              time: timeOf(at),
              count: events,
            })}
          </title>
        </rect>
      ))}
    </svg>
  );
}

const timeOf = (at: string): string =>
  new Intl.DateTimeFormat(locale(), { timeStyle: 'short' }).format(new Date(at));
