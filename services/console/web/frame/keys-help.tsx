import { t } from '../app/i18n.ts';
import { isMac, type Key, useActiveKeys } from '../app/keys.ts';
import { Dialog } from '../components/dialog.tsx';
import styles from './frame.module.css';

const ARROWS: Record<string, string> = { Left: '←', Right: '→', Up: '↑', Down: '↓' };

/** Lists the keys of the page and of the frame. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  const active = useActiveKeys().filter(({ title }) => title !== '');
  // Several charts have the same keys.
  const all = [...new Map(active.map((one) => [`${one.keys}\n${one.title}`, one])).values()];
  const isGo = (key: Key) => key.keys.startsWith('g ');
  const keys = [...all.filter((key) => !isGo(key)), ...all.filter(isGo)];
  const nameOf = (key: string) =>
    key
      .replace('$mod', isMac() ? '⌘' : 'Ctrl')
      .replace(/^Shift\+(?=[<>?])/, '')
      .replace(/Arrow(\w+)/, (_, way: string) => ARROWS[way] ?? way);
  return (
    <Dialog title={t('Keys')} onClose={onClose}>
      <dl className={styles['keys']}>
        {keys.map((key) => (
          <div key={`${key.keys} ${key.title}`} style={{ display: 'contents' }}>
            <dt>{key.title}</dt>
            <dd>
              {key.keys.split(' ').map((one) => (
                <kbd key={one}>{nameOf(one)}</kbd>
              ))}
            </dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
