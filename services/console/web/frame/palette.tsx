import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider } from '@ariakit/react';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { t } from '../app/i18n.ts';
import { usePlace } from '../app/project.ts';
import { pages } from '../app/registry.ts';
import menu from '../components/menu.module.css';
import styles from './frame.module.css';

/** Finds pages and commands by their titles. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { pathOf, may } = usePlace();
  const navigate = useNavigate();
  const [query, setQuery] = useState('');
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const all = pages
    .filter(({ permission }) => permission === undefined || may(permission))
    .flatMap(({ title, path, rail, commands = [] }) => [
      ...(rail === undefined ? [] : [{ title: title(), to: path }]),
      ...commands.map((command) => ({ title: command.title(), to: command.to })),
    ]);
  const wanted = query.trim().toLocaleLowerCase();
  const found = all.filter(({ title }) => title.toLocaleLowerCase().includes(wanted));
  return (
    <dialog ref={ref} aria-label={t('Search')} className={styles['palette']} onClose={onClose}>
      <ComboboxProvider open setValue={setQuery}>
        <Combobox
          autoFocus
          autoSelect="always"
          aria-label={t('Search')}
          placeholder={t('Search pages and commands')}
        />
        <ComboboxList alwaysVisible className={styles['results']} aria-label={t('Results')}>
          {found.map(({ title, to }) => (
            <ComboboxItem
              key={to}
              value={title}
              hideOnClick={false}
              setValueOnClick={false}
              className={menu['item']}
              onClick={() => {
                onClose();
                void navigate({ to: pathOf(to) });
              }}
            >
              {title}
            </ComboboxItem>
          ))}
          {found.length === 0 ? <p className={styles['none']}>{t('Nothing found')}</p> : null}
        </ComboboxList>
      </ComboboxProvider>
    </dialog>
  );
}
