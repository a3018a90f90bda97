import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';
import { t } from '../app/i18n.ts';
import styles from './button.module.css';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  icon?: LucideIcon;
  /**
   * The key that clicks it. A letter has one meaning on every page: a add, b back, c the primary action, d delete,
   * e edit, f filter or full screen, h snooze, i show, m more, n make from this, o rotate, p pause, r again, s share,
   * t send, u subscribe, w download, x on or off, y copy as. Parts of a page have digits.
   */
  keys?: string | undefined;
}

/** Returns the class of a button, for links that look like one. */
export const buttonClass = (kind: Kind = 'plain'): string => `${styles['button']} ${styles[kind] ?? ''}`;

/** Returns the attributes of a control that a key clicks. */
export const withKey = (keys: string | undefined, label?: string) =>
  keys === undefined
    ? { title: label }
    : {
        'aria-keyshortcuts': keys,
        title: [label, t('Key: {key}', { key: keys })].filter(Boolean).join(' · '),
      };

/** A button with a verb and its object, such as "Create flag". A page has one of kind `primary`. */
export function Button({ kind = 'plain', icon: Icon, keys, title, children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...withKey(keys, title)} {...rest} className={buttonClass(kind)}>
      {Icon === undefined ? null : <Icon size={16} aria-hidden />}
      {children}
    </button>
  );
}

/** A button in a row. In a narrow table, its icon alone is seen. */
export function RowButton({ children, ...rest }: ButtonProps) {
  return (
    <Button {...rest}>
      <span className={styles['rowLabel']}>{children}</span>
    </Button>
  );
}

interface IconButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  icon: LucideIcon;
  /** The verb with its object, for screen readers and as the tooltip. */
  label: string;
  keys?: string | undefined;
}

/** A button with an icon alone. */
export function IconButton({ icon: Icon, label, keys, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      {...withKey(keys, label)}
      {...rest}
      className={`${buttonClass('quiet')} ${styles['icon']}`}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}
