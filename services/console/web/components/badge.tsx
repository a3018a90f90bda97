import type { ReactNode } from 'react';
import styles from './badge.module.css';

/** A state in a word. The colour only repeats it. */
export function Badge({
  tone = 'plain',
  children,
}: {
  tone?: 'plain' | 'good' | 'warning' | 'danger';
  children: ReactNode;
}) {
  return <span className={`${styles['badge']} ${styles[tone] ?? ''}`}>{children}</span>;
}
