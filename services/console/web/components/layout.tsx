import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { useMemo, useRef } from 'react';
import { t } from '../app/i18n.ts';
import { useKeys } from '../app/keys.ts';
import { useHeading } from '../app/page.ts';
import { IconButton, isPrimary } from './button.tsx';
import styles from './layout.module.css';

interface PageLayoutProps {
  title: string;
  /** The one primary action, and others before it. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The content of a page: its title, what one can do, and the rest. The key `c` takes the primary action. */
export function PageLayout({ title, actions, children }: PageLayoutProps) {
  useHeading(title);
  const head = useRef<HTMLElement>(null);
  useKeys(
    useMemo(() => {
      const primary = () => [...(head.current?.querySelectorAll('button') ?? [])].find(isPrimary);
      return [
        {
          keys: 'c',
          get title() {
            return primary()?.textContent ?? '';
          },
          run: () => primary()?.click(),
        },
      ];
    }, []),
  );
  return (
    <div className={styles['page']}>
      <header ref={head} className={styles['head']}>
        <h1>{title}</h1>
        {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A row of filters above a list. */
export function Bar({ children }: { children: ReactNode }) {
  return <div className={styles['bar']}>{children}</div>;
}

/** A part of a page with a heading. */
export function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className={styles['section']}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

interface ListDetailProps {
  list: ReactNode;
  /** The open entry. Undefined shows the list alone. */
  detail?: { title: string; content: ReactNode; onClose: () => void } | undefined;
}

/** A list with its open entry: beside it from 1,100 px, instead of it below. */
export function ListDetail({ list, detail }: ListDetailProps) {
  return (
    <div className={`${styles['split']} ${detail === undefined ? '' : styles['open']}`}>
      <div className={styles['list']}>{list}</div>
      {detail === undefined ? null : <Detail {...detail} />}
    </div>
  );
}

function Detail({ title, content, onClose }: NonNullable<ListDetailProps['detail']>) {
  useKeys(useMemo(() => [{ keys: 'Escape', title: t('Close the entry'), run: onClose }], [onClose]));
  return (
    <section aria-label={title} className={styles['detail']}>
      <div className={styles['detailHead']}>
        <h2>{title}</h2>
        <IconButton icon={X} label={t('Close')} onClick={onClose} />
      </div>
      <div className={styles['detailBody']}>{content}</div>
    </section>
  );
}

/** Names and values. */
export function Facts({ facts }: { facts: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
