import { type Client, createClient } from '@switchboard/management';
import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { ArrowLeft, LogOut, Menu as MenuIcon } from 'lucide-react';
import { useEffect, useMemo, useState } from 'react';
import { api, ClientProvider } from '../app/api.ts';
import { t } from '../app/i18n.ts';
import { useKeys } from '../app/keys.ts';
import { getSession, SignedOut, signIn, signOut } from '../app/session.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Empty, Failed, Loading } from '../components/state.tsx';
import styles from '../frame/frame.module.css';
import { KeysHelp } from '../frame/keys-help.tsx';
import { Mark } from '../frame/mark.tsx';
import { Notices } from '../frame/notices.tsx';
import { Drawer, ThemeMenu } from '../frame/rail.tsx';
import { Toasts } from '../frame/toasts.tsx';
import { OPERATOR, operatorPages } from './pages.ts';

let client: Promise<Client> | undefined;

/** Returns the typed client of the management API, which the console's server passes calls on to. */
function managementApi(): Promise<Client> {
  client ??= Promise.resolve(
    createClient({
      url: (service) => `${location.origin}${OPERATOR}/${service}`,
      token: async () => (await getSession()).token,
      retryForMs: 3_000,
    }),
  );
  return client;
}

/** The frame of operators' pages, for people with `service.manage`. */
export function OperatorFrame() {
  const { data, error, refetch } = useQuery({ queryKey: ['session'], queryFn: getSession });
  const firstVisit = error instanceof SignedOut && data === undefined;
  useEffect(() => {
    if (firstVisit) signIn();
  }, [firstVisit]);
  if (data?.isOperator === true) return <Framed />;
  return (
    <main className={styles['alone']}>
      {data !== undefined ? (
        <>
          <h1>{t('Only for operators')}</h1>
          <Empty text={t('These pages are for people with service.manage in their access token.')}>
            <a href="/">{t('Go to your project')}</a>
            <Button onClick={() => void signOut()}>{t('Sign out')}</Button>
          </Empty>
        </>
      ) : error !== null && !firstVisit ? (
        <Failed error={error} retry={() => void refetch()} />
      ) : (
        <Loading rows={8} />
      )}
    </main>
  );
}

function Framed() {
  const { pathname } = useRouterState({ select: ({ location }) => location });
  const [shown, setShown] = useState<'keys' | 'drawer'>();
  const close = () => setShown(undefined);
  useEffect(close, [pathname]);
  const here = pathname.slice(OPERATOR.length).replace(/\/$/, '') || '/';
  const title = operatorPages.find(({ path }) => path === here)?.title();
  useEffect(() => {
    document.title = [title, t('Deployment'), 'Switchboard'].filter(Boolean).join(' · ');
  }, [title]);
  useKeys(useMemo(() => [{ keys: 'Shift+?', title: t('Show keys'), run: () => setShown('keys') }], []));
  return (
    <ClientProvider value={managementApi}>
      <a href="#main" className={styles['skip']}>
        {t('Skip to content')}
      </a>
      <div className={styles['frame']}>
        <OperatorRail />
        <div className={styles['main']}>
          <header className={styles['top']}>
            <span className={styles['menuButton']}>
              <IconButton icon={MenuIcon} label={t('Open navigation')} onClick={() => setShown('drawer')} />
            </span>
            <nav aria-label={t('You are here')} className={styles['trail']}>
              <ol className={styles['trail']}>
                <li>
                  <a href={OPERATOR}>{t('Deployment')}</a>
                </li>
                {title === undefined ? null : <li aria-current="page">{title}</li>}
              </ol>
            </nav>
          </header>
          <Notices />
          <main id="main" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      <Toasts />
      {shown === 'keys' ? <KeysHelp onClose={close} /> : null}
      {shown === 'drawer' ? (
        <Drawer onClose={close}>
          <OperatorRail />
        </Drawer>
      ) : null}
    </ClientProvider>
  );
}

function OperatorRail() {
  // Operators need not be members of a company.
  const projects = useQuery({
    queryKey: ['operator', 'listOwnProjects'],
    queryFn: async () => (await (await api()).call('listOwnProjects')).projects,
  });
  return (
    <nav aria-label={t('Pages')} className={styles['rail']}>
      <p className={styles['brand']}>
        <Mark /> <span>Switchboard</span>
      </p>
      {operatorPages.map(({ path, title, icon: Icon }) => (
        <Link
          key={path}
          to={path === '/' ? OPERATOR : `${OPERATOR}${path}`}
          className={styles['entry']}
          activeOptions={{ exact: path === '/', includeSearch: false }}
        >
          <Icon size={16} aria-hidden />
          <span>{title()}</span>
        </Link>
      ))}
      <div className={styles['foot']}>
        {projects.data === undefined || projects.data.length === 0 ? null : (
          <a href="/" className={styles['entry']}>
            <ArrowLeft size={16} aria-hidden /> {t('Projects')}
          </a>
        )}
        <ThemeMenu />
        <Button kind="quiet" icon={LogOut} onClick={() => void signOut()}>
          {t('Sign out')}
        </Button>
      </div>
    </nav>
  );
}
