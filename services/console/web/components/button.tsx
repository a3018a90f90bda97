import type { LucideIcon } from 'lucide-react';
import type { ButtonHTMLAttributes } from 'react';
import styles from './button.module.css';

type Kind = 'plain' | 'primary' | 'danger' | 'quiet';

interface ButtonProps extends ButtonHTMLAttributes<HTMLButtonElement> {
  kind?: Kind;
  icon?: LucideIcon;
}

/** Returns the class of a button, for links that look like one. */
export const buttonClass = (kind: Kind = 'plain'): string => `${styles['button']} ${styles[kind] ?? ''}`;

/** Whether an element is a button of kind `primary`. */
export const isPrimary = ({ classList }: Element): boolean => classList.contains(styles['primary'] ?? '');

/** A button with a verb and its object, such as "Create flag". A page has one of kind `primary`. */
export function Button({ kind = 'plain', icon: Icon, children, ...rest }: ButtonProps) {
  return (
    <button type="button" {...rest} className={buttonClass(kind)}>
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
}

/** A button with an icon alone. */
export function IconButton({ icon: Icon, label, ...rest }: IconButtonProps) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      {...rest}
      className={`${buttonClass('quiet')} ${styles['icon']}`}
    >
      <Icon size={16} aria-hidden />
    </button>
  );
}
