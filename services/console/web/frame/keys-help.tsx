import { t } from '../app/i18n.ts';
import { useActiveKeys } from '../app/keys.ts';
import { Dialog } from '../components/dialog.tsx';
import styles from './frame.module.css';

/** Lists the keys of the page and of the frame. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  const keys = useActiveKeys();
  return (
    <Dialog title={t('Keys')} onClose={onClose}>
      <dl className={styles['keys']}>
        {keys.map((key) => (
          <div key={key.keys} style={{ display: 'contents' }}>
            <dt>{key.title}</dt>
            <dd>
              {key.keys.split(' ').map((one) => (
                <kbd key={one}>{one.replace('$mod', 'Ctrl').replace('Shift+', '')}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
