import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useCall } from '../app/api.ts';
import { t } from '../app/i18n.ts';
import { getSession, SignedOut, signIn, signOut } from '../app/session.ts';
import { Button } from '../components/button.tsx';
import { Empty, Failed, Loading } from '../components/state.tsx';
import styles from './frame.module.css';
import { Mark } from './mark.tsx';

const LAST_PROJECT = 'project';
/** Services learn of a membership shortly after an invitation is accepted. */
const REFRESH_MS = 2_000;

/** Keeps the project that `/` leads to in this browser. */
export const rememberProject = (id: string): void => localStorage.setItem(LAST_PROJECT, id);

/** The address `/`: leads to the project that was open last, or to the first one. */
export function StartHere() {
  const navigate = useNavigate();
  const { data, error, refetch } = useCall(
    ['listOwnProjects'],
    (client, options) => client.call('listOwnProjects', {}, options),
    { refreshMs: REFRESH_MS },
  );
  const last = localStorage.getItem(LAST_PROJECT);
  const first = data?.projects.find(({ id }) => id === last) ?? data?.projects[0];
  const session = useQuery({ queryKey: ['session'], queryFn: getSession });
  const leadsToOperator = session.data?.isOperator === true && data?.projects.length === 0;
  useEffect(() => {
    if (error instanceof SignedOut) signIn();
    if (leadsToOperator) void navigate({ to: '/operator', replace: true });
    if (first !== undefined)
      void navigate({ to: '/projects/$projectId', params: { projectId: first.id }, replace: true });
  }, [error, first, leadsToOperator, navigate]);
  return (
    <main className={styles['alone']}>
      <Mark size={32} />
      <h1>Switchboard</h1>
      {error !== null && !(error instanceof SignedOut) ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : data?.projects.length === 0 ? (
        <Empty
          text={t('You are not a member of a company with a project. Ask an administrator to invite you.')}
        >
          <Button onClick={() => void signOut()}>{t('Sign out')}</Button>
        </Empty>
      ) : (
        <Loading rows={3} />
      )}
    </main>
  );
}

/** Says that the person signed out, here or in another tab. */
export function SignedOutHere() {
  return (
    <main className={styles['alone']}>
      <Mark size={32} />
      <h1>{t('You are signed out')}</h1>
      <Button kind="primary" onClick={signIn}>
        {t('Sign in')}
      </Button>
    </main>
  );
}

/** An address without a page. */
export function Missing() {
  return (
    <main className={styles['alone']}>
      <Mark size={32} />
      <h1>{t('Not found')}</h1>
      <p>{t('No page has this address.')}</p>
      <a href="/">{t('Go to your project')}</a>
    </main>
  );
}
