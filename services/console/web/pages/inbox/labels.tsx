import type { SupportSettings } from '@switchboard/management';
import styles from './inbox.module.css';

/** The labels of a conversation that still exist. */
export function Labels({ ids, settings }: { ids: readonly string[]; settings: SupportSettings | undefined }) {
  return settings?.labels
    .filter(({ id }) => ids.includes(id))
    .map(({ id, name, color }) => (
      <span key={id} className={styles['label']}>
        <span className={styles['dot']} data-color={color} />
        {name}
      </span>
    ));
}
