import { Link, Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router';
import { Menu as MenuIcon, Search } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import { useCall } from '../app/api.ts';
import { t } from '../app/i18n.ts';
import { isMac, useKeys } from '../app/keys.ts';
import { onUse } from '../app/on-use.tsx';
import { type Page, useShownHeading } from '../app/page.ts';
import { type Place, PlaceProvider } from '../app/project.ts';
import { pages } from '../app/registry.ts';
import { SignedOut, signIn } from '../app/session.ts';
import { IconButton } from '../components/button.tsx';
import { Empty, Failed, Loading } from '../components/state.tsx';
import styles from './frame.module.css';
import { KeysHelp } from './keys-help.tsx';
import { Notices } from './notices.tsx';
import { Drawer, Rail } from './rail.tsx';
import { rememberProject } from './start-here.tsx';
import { Toasts } from './toasts.tsx';

const Palette = onUse(async () => (await import('./palette.tsx')).Palette);

const COLLAPSED = 'rail';
const Notifier = lazy(async () => ({ default: (await import('../notifications/notifier.ts')).Notifier }));

/** The frame of every page of a project: rail, top bar, search and keys. */
export function ProjectFrame() {
  const { projectId = '' } = useParams({ strict: false });
  const { data, error, refetch } = usePlaceOf(projectId);
  const firstVisit = error instanceof SignedOut && data === undefined;
  useEffect(() => {
    if (firstVisit) signIn();
  }, [firstVisit]);
  if (data === undefined) {
    return (
      <main className={styles['alone']}>
        {error !== null && !firstVisit ? <Failed error={error} retry={refetch} /> : <Loading rows={8} />}
      </main>
    );
  }
  if (data === null) {
    return (
      <main className={styles['alone']}>
        <h1>{t('Project not found')}</h1>
        <Empty text={t('It was deleted, or you are not a member of its company.')}>
          <a href="/">{t('Go to your project')}</a>
        </Empty>
      </main>
    );
  }
  return <Framed place={data} />;
}

/** Services learn of a new member shortly after their first sign-in. */
const MISSING_REFRESH_MS = 3_000;

/** Returns the project and the role of the person; null if there is no such project for them. */
function usePlaceOf(projectId: string) {
  const [isMissing, setMissing] = useState(false);
  const refresh = isMissing ? { refreshMs: MISSING_REFRESH_MS } : {};
  const me = useCall(['getMe'], (client, options) => client.call('getMe', {}, options), refresh);
  const projects = useCall(
    ['listOwnProjects'],
    (client, options) => client.call('listOwnProjects', {}, options),
    refresh,
  );
  const data = useMemo((): Place | null | undefined => {
    if (me.data === undefined || projects.data === undefined) return undefined;
    const project = projects.data.projects.find(({ id }) => id === projectId);
    const company = me.data.companies.find(({ id }) => id === project?.companyId);
    if (project === undefined || company === undefined) return null;
    const allowed = new Set<string>(company.permissions);
    return {
      project,
      company,
      me: me.data,
      pathOf: (page) => `/projects/${encodeURIComponent(projectId)}${page}`,
      may: (permission) => allowed.has(permission),
    };
  }, [me.data, projects.data, projectId]);
  useEffect(() => setMissing(data === null), [data]);
  return {
    data,
    error: me.error ?? projects.error,
    refetch() {
      void me.refetch();
      void projects.refetch();
    },
  };
}

function Framed({ place }: { place: Place }) {
  const navigate = useNavigate();
  const { pathname } = useRouterState({ select: ({ location }) => location });
  const [collapsed, setCollapsed] = useState(() => localStorage.getItem(COLLAPSED) === 'collapsed');
  const [shown, setShown] = useState<'palette' | 'keys' | 'drawer'>();
  const close = () => setShown(undefined);
  useEffect(() => rememberProject(place.project.id), [place.project.id]);
  useEffect(close, [pathname]);

  const current = pages.find(({ path }) => isAt(pathname, place.pathOf(path)));
  const parent = pages.find(({ path }) => path === current?.parent);
  const keys = useMemo(
    () => [
      { keys: '$mod+k', title: t('Search'), run: () => setShown('palette') },
      { keys: 'Shift+?', title: t('Show keys'), run: () => setShown('keys') },
      ...pages.flatMap(({ go, path, title, permission }) =>
        go === undefined || (permission !== undefined && !place.may(permission))
          ? []
          : [
              {
                keys: `g ${go}`,
                title: title(),
                run: () => void navigate({ to: place.pathOf(path) }),
              },
            ],
      ),
    ],
    [place, navigate],
  );
  useKeys(keys);

  const collapse = () => {
    localStorage.setItem(COLLAPSED, collapsed ? 'open' : 'collapsed');
    setCollapsed(!collapsed);
  };
  return (
    <PlaceProvider value={place}>
      <a href="#main" className={styles['skip']}>
        {t('Skip to content')}
      </a>
      <div className={`${styles['frame']} ${collapsed ? styles['collapsed'] : ''}`}>
        <Rail collapse={collapse} isCollapsed={collapsed} parent={parent?.path} />
        <div className={styles['main']}>
          <header className={styles['top']}>
            <span className={styles['menuButton']}>
              <IconButton icon={MenuIcon} label={t('Open navigation')} onClick={() => setShown('drawer')} />
            </span>
            <Trail place={place} page={current} parent={parent} />
            <button
              type="button"
              aria-label={t('Search')}
              className={styles['search']}
              onClick={() => setShown('palette')}
            >
              <Search size={16} aria-hidden />
              <span>{t('Search')}</span>
              <kbd aria-hidden>{isMac() ? '⌘K' : 'Ctrl K'}</kbd>
            </button>
          </header>
          <Notices />
          <main id="main" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      <Toasts />
      {place.may('conversations.reply') ? (
        <Suspense>
          <Notifier />
        </Suspense>
      ) : null}
      {shown === 'palette' ? <Palette onClose={close} /> : null}
      {shown === 'keys' ? <KeysHelp onClose={close} /> : null}
      {shown === 'drawer' ? (
        <Drawer onClose={close}>
          <Rail parent={parent?.path} />
        </Drawer>
      ) : null}
    </PlaceProvider>
  );
}

interface TrailProps {
  place: Place;
  page: Page | undefined;
  /** The list that the entry of the page belongs to. */
  parent: Page | undefined;
}

/** Says where the person is, as links and in the title of the window. */
function Trail({ place: { project, pathOf }, page, parent }: TrailProps) {
  const heading = useShownHeading();
  // A page of an entry, such as a flag, is named as the entry.
  const title = (parent === undefined ? undefined : heading) ?? page?.title();
  useEffect(() => {
    document.title = [title, project.name, 'Switchboard'].filter(Boolean).join(' · ');
  }, [title, project.name]);
  return (
    <nav aria-label={t('You are here')} className={styles['trail']}>
      <ol className={styles['trail']}>
        <li>
          <Link to={pathOf('')}>{project.name}</Link>
        </li>
        {parent === undefined ? null : (
          <li>
            <Link to={pathOf(parent.path)}>{parent.title()}</Link>
          </li>
        )}
        {title === undefined || page?.path === '/' ? null : <li aria-current="page">{title}</li>}
      </ol>
    </nav>
  );
}

/** Whether an address is that of a page; parameters match any one segment. */
function isAt(pathname: string, page: string): boolean {
  const [have, want] = [pathname, page].map((one) => one.replace(/\/$/, '').split('/'));
  return (
    have !== undefined &&
    want !== undefined &&
    have.length === want.length &&
    want.every((part, at) => part.startsWith('$') || part === have[at])
  );
}
