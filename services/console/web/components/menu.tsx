import { MenuButton, MenuItem, MenuProvider, Menu as Popup } from '@ariakit/react';
import type { ReactNode } from 'react';
import { buttonClass } from './button.tsx';
import styles from './menu.module.css';

interface Item {
  title: ReactNode;
  run(): void;
}

interface MenuProps {
  /** The content of the button. */
  label: ReactNode;
  /** The name of the button for screen readers, if the label is not enough. */
  name?: string;
  items: readonly Item[];
  className?: string | undefined;
}

/** A button that opens a menu of commands. */
export function Menu({ label, name, items, className = buttonClass('quiet') }: MenuProps) {
  return (
    <MenuProvider>
      <MenuButton className={className} aria-label={name}>
        {label}
      </MenuButton>
      <Popup gutter={4} portal className={styles['menu']}>
        {items.map(({ title, run }, at) => (
          <MenuItem key={at} className={styles['item']} onClick={run}>
            {title}
          </MenuItem>
        ))}
      </Popup>
    </MenuProvider>
  );
}
