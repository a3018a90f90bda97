import { isNotFound, ManagementError } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { t } from '../app/i18n.ts';
import { usePlace } from '../app/project.ts';
import { SignedOut, signIn } from '../app/session.ts';
import { Button, buttonClass } from './button.tsx';
import { CopyButton } from './code.tsx';
import styles from './state.module.css';

/** The shape of the content in grey, after 150 ms. */
export function Loading({ rows = 6 }: { rows?: number }) {
  return (
    <div role="status" aria-label={t('Loading')} className={styles['skeleton']}>
      {Array.from({ length: rows }, (_, at) => (
        <span key={at} />
      ))}
    </div>
  );
}

/** One sentence that says there is nothing yet, and the next step as children: a button, a link or code to paste. */
export function Empty({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <div className={styles['state']} data-empty>
      <p className={styles['muted']}>{text}</p>
      {children}
    </div>
  );
}

interface NextStepProps {
  /** The path below the project, such as `/settings/keys`. */
  page: string;
  /** The action that the person takes there, such as "Create flag". */
  title: string;
  /** Hidden for a role without it. */
  permission?: string;
}

/** The next step of an empty list that is done on another page. */
export function NextStep({ page, title, permission }: NextStepProps) {
  const { may, pathOf } = usePlace();
  if (permission !== undefined && !may(permission)) return null;
  const [path, query] = page.split('?');
  return (
    <Link
      to={pathOf(path ?? page)}
      search={Object.fromEntries(new URLSearchParams(query))}
      className={buttonClass()}
    >
      {title}
    </Link>
  );
}

/** Says which part is missing and why, such as "3 of 5 services answered". */
export function Partial({ text }: { text: string }) {
  return (
    <p role="status" className={styles['partial']}>
      {text}
    </p>
  );
}

/** Says what failed, why and what to do, with the request id, and tries again in place. */
export function Failed({ error, retry }: { error: Error; retry?: () => void }) {
  const requestId = error instanceof ManagementError ? error.requestId : undefined;
  return (
    <div role="alert" className={`${styles['state']} ${styles['failed']}`}>
      <p>{reasonOf(error)}</p>
      {requestId === undefined ? null : (
        <p className={styles['muted']}>
          {t('Request')} <code>{requestId}</code> <CopyButton text={requestId} name={t('request id')} />
        </p>
      )}
      {error instanceof SignedOut ? (
        <Button kind="primary" onClick={signIn}>
          {t('Sign in')}
        </Button>
      ) : retry === undefined ? null : (
        <Button keys="r" icon={RotateCw} onClick={retry}>
          {t('Try again')}
        </Button>
      )}
    </div>
  );
}

/** Returns the reason without the call, which a person does not need. */
function reasonOf(error: Error): string {
  if (isNotFound(error)) return t('Not found. It was deleted, or the address is wrong.');
  if (!(error instanceof ManagementError)) return error.message;
  if (error.status === undefined) return t('The API cannot be reached. Check your connection.');
  return error.message.replace(/^[A-Z]+ \/\S+: /, '');
}

interface Loadable<T> {
  data: T | undefined;
  error: Error | null;
  refetch(): unknown;
}

interface LoadedProps<T> {
  query: Loadable<T>;
  /** The loading shape. Default: rows. */
  loading?: ReactNode;
  children: (data: T) => ReactNode;
}

/** Shows a query's data, or its loading or failed state. Data that was read before stays when a refresh fails. */
export function Loaded<T>({ query: { data, error, refetch }, loading, children }: LoadedProps<T>) {
  if (data !== undefined) {
    return (
      <>
        {error === null ? null : <Failed error={error} retry={() => void refetch()} />}
        {children(data)}
      </>
    );
  }
  if (error !== null) return <Failed error={error} retry={() => void refetch()} />;
  return loading ?? <Loading />;
}
