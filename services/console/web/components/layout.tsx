import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../app/i18n.ts';
import { useKeys } from '../app/keys.ts';
import { useHeading } from '../app/page.ts';
import { IconButton } from './button.tsx';
import styles from './layout.module.css';

interface PageLayoutProps {
  title: string;
  /** The one primary action, and others before it. */
  actions?: ReactNode;
  children: ReactNode;
}

/** The content of a page: its title, what one can do, and the rest. */
export function PageLayout({ title, actions, children }: PageLayoutProps) {
  useHeading(title);
  return (
    <div className={styles['page']}>
      <header className={styles['head']}>
        <h1>{title}</h1>
        {actions === undefined ? null : <div className={styles['actions']}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

const firstFilter = () => document.querySelector<HTMLElement>(`main .${styles['bar']} :is(input, select)`);
const FILTER_KEYS = [
  {
    keys: 'f',
    get title() {
      return firstFilter() === null ? '' : t('Go to the filters');
    },
    run: () => firstFilter()?.focus(),
  },
];

/** A row of filters above a list. The key `f` leads to the first of the page. */
export function Bar({ children }: { children: ReactNode }) {
  useKeys(FILTER_KEYS);
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
  return (
    <section aria-label={title} className={styles['detail']}>
      <div className={styles['detailHead']}>
        <h2>{title}</h2>
        <IconButton icon={X} label={t('Close')} keys="Escape" onClick={onClose} />
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
