import { X } from 'lucide-react';
import { useState } from 'react';
import { t } from '../app/i18n.ts';
import { isMac, isRun, type Key, shownActions, useActiveKeys } from '../app/keys.ts';
import { IconButton } from '../components/button.tsx';
import { Dialog } from '../components/dialog.tsx';
import styles from './frame.module.css';

const ARROWS: Record<string, string> = { Left: '←', Right: '→', Up: '↑', Down: '↓' };

/** Lists the keys of the page and of the frame, then the pages that keys go to. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  // The actions of the page as it was when the list opened: a list that moves cannot be read.
  const [actions] = useState(shownActions);
  const active = useActiveKeys();
  const bound = new Set(active.filter(isRun).map(({ keys }) => keys));
  const named = new Map<string, Key>();
  for (const one of actions) {
    const keys = one.getAttribute('aria-keyshortcuts') ?? '';
    // An empty list repeats the action of the page.
    if (bound.has(keys) || named.has(keys)) continue;
    named.set(keys, { keys, title: one.ariaLabel ?? one.textContent });
  }
  const listed = [...named.values(), ...active].filter(({ title }) => title !== '');
  // Several charts have the same keys.
  const all = [...new Map(listed.map((one) => [`${one.keys}\n${one.title}`, one])).values()];
  const isGo = ({ keys }: Key) => keys.startsWith('g ');
  return (
    <Dialog title={t('Keys')} wide onClose={onClose}>
      <span className={styles['keysClose']}>
        <IconButton icon={X} label={t('Close')} onClick={onClose} />
      </span>
      <List keys={all.filter((key) => !isGo(key))} />
      {all.some(isGo) ? (
        <>
          <h3>{t('Go to')}</h3>
          <List keys={all.filter(isGo)} />
        </>
      ) : null}
    </Dialog>
  );
}

function List({ keys }: { keys: readonly Key[] }) {
  return (
    <dl className={styles['keys']}>
      {keys.map(({ keys: pressed, title }) => (
        <div key={`${pressed} ${title}`}>
          <dt>{title}</dt>
          <dd>
            {pressed.split(' ').map((one) => (
              <kbd key={one}>{nameOf(one)}</kbd>
            ))}
          </dd>
        </div>
      ))}
    </dl>
  );
}

const nameOf = (key: string) =>
  key
    .replace('$mod', isMac() ? '⌘' : 'Ctrl')
    .replace('Control', 'Ctrl')
    .replace(/^Shift\+(?=[<>?])/, '')
    .replace(/Arrow(\w+)/, (_, way: string) => ARROWS[way] ?? way);
