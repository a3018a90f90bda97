import type { FlagUsage } from '@switchboard/management';
import { t } from '../../app/i18n.ts';
import { Badge } from '../../components/badge.tsx';
import { percent, Time } from '../../components/values.tsx';
import styles from './flag-usage.module.css';

const HUES = 8;

/** The shares of a flag's variations in the last seven days as a bar, and the last evaluation. */
export function Served({ usage }: { usage: FlagUsage | undefined }) {
  if (usage === undefined) return null;
  if (usage.lastSeenAt === null) return <span className={styles['muted']}>{t('Never')}</span>;
  const shares = sharesOf(usage);
  const words = shares.map(({ variation, share }) => `${variation} ${percent(share)}`).join(', ');
  return (
    <span className={styles['served']}>
      <span className={styles['bar']} role="img" aria-label={words} title={words}>
        {shares.map(({ variation, share, hue }) => (
          <i key={variation} style={{ inlineSize: `${share * 100}%`, background: hue }} />
        ))}
      </span>
      <Time at={usage.lastSeenAt} />
    </span>
  );
}

interface Share {
  variation: string;
  share: number;
  hue: string;
}

/** Returns the shares of the variations that were served in the last seven days, most frequent first. */
export function sharesOf({ evaluations, variations }: FlagUsage): Share[] {
  let at = 0;
  return variations
    .filter((one) => one.evaluations > 0)
    .map((one) => ({
      variation: one.variation,
      share: one.evaluations / evaluations,
      hue: one.variation === 'off' ? 'var(--text-muted)' : `var(--series-${(at++ % HUES) + 1})`,
    }));
}

/** Marks a stale flag. */
export function Stale({ usage }: { usage: FlagUsage | undefined }) {
  if (usage?.stale == null) return null;
  return <Badge tone="warning">{t('Stale')}</Badge>;
}
