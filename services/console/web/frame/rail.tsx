import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronsUpDown, LogOut, Moon, PanelLeft, Server } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { useCall } from '../app/api.ts';
import { t } from '../app/i18n.ts';
import type { Page, Section } from '../app/page.ts';
import { usePlace } from '../app/project.ts';
import { pages } from '../app/registry.ts';
import { getSession, signOut } from '../app/session.ts';
import { setTheme, useTheme } from '../app/theme.ts';
import { Button, IconButton } from '../components/button.tsx';
import { Menu } from '../components/menu.tsx';
import styles from './frame.module.css';
import { Mark } from './mark.tsx';

interface RailProps {
  isCollapsed?: boolean;
  collapse?: () => void;
  /** The path of the list that the shown entry belongs to. */
  parent?: string | undefined;
}

/** The pages of the project, its switcher, and the person's own settings. */
export function Rail({ isCollapsed = false, collapse, parent }: RailProps) {
  const { may, project } = usePlace();
  const entries = (section: Section) =>
    pages.flatMap((page) =>
      page.rail?.section === section &&
      (page.rail.isShown?.(project) ?? true) &&
      (page.permission === undefined || may(page.permission))
        ? [<Entry key={page.path} page={page} isCurrent={page.path === parent} />]
        : [],
    );
  return (
    <nav aria-label={t('Pages')} className={styles['rail']}>
      <p className={styles['brand']}>
        <Mark /> <span className={styles['label']}>Switchboard</span>
      </p>
      <ProjectSwitcher />
      {entries('main')}
      <p className={styles['heading']}>{t('Settings')}</p>
      {entries('settings')}
      <div className={styles['foot']}>
        <OperatorEntry />
        <ThemeMenu />
        <Button kind="quiet" icon={LogOut} onClick={() => void signOut()} aria-label={t('Sign out')}>
          <span className={styles['label']}>{t('Sign out')}</span>
        </Button>
        {collapse === undefined ? null : (
          <IconButton
            icon={PanelLeft}
            label={isCollapsed ? t('Show names') : t('Hide names')}
            onClick={collapse}
          />
        )}
      </div>
    </nav>
  );
}

/** The rail over the page, on narrow screens. */
export function Drawer({ onClose, children }: { onClose: () => void; children: ReactNode }) {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={ref} aria-label={t('Navigation')} className={styles['drawer']} onClose={onClose}>
      {children}
    </dialog>
  );
}

function Entry({ page: { path, title, rail }, isCurrent }: { page: Page; isCurrent: boolean }) {
  const { pathOf } = usePlace();
  const Icon = rail?.icon;
  return (
    <Link
      to={pathOf(path)}
      className={styles['entry']}
      activeOptions={{ exact: path === '/', includeSearch: false }}
      title={title()}
      {...(isCurrent && { 'aria-current': 'page' })}
    >
      {Icon === undefined ? null : <Icon size={16} aria-hidden />}
      <span className={styles['label']}>{title()}</span>
      {rail?.Count === undefined ? null : (
        <span className={styles['count']}>
          <rail.Count />
        </span>
      )}
    </Link>
  );
}

/** Leads operators to their pages. */
function OperatorEntry() {
  const { data } = useQuery({ queryKey: ['session'], queryFn: getSession });
  return data?.isOperator === true ? (
    <a href="/operator" className={styles['entry']} title={t('Deployment')}>
      <Server size={16} aria-hidden /> <span className={styles['label']}>{t('Deployment')}</span>
    </a>
  ) : null;
}

function ProjectSwitcher() {
  const { project } = usePlace();
  const navigate = useNavigate();
  const { data } = useCall(['listOwnProjects'], (client, options) =>
    client.call('listOwnProjects', {}, options),
  );
  return (
    <Menu
      name={t('Project: {name}', { name: project.name })}
      className={styles['switcher']}
      label={
        <>
          <span className={styles['label']}>{project.name}</span>
          <ChevronsUpDown size={16} aria-hidden />
        </>
      }
      items={(data?.projects ?? []).map(({ id, name, region }) => ({
        title: `${name} (${region})`,
        run: () => void navigate({ to: '/projects/$projectId', params: { projectId: id } }),
      }))}
    />
  );
}

/** Chooses the colours. */
export function ThemeMenu() {
  const theme = useTheme();
  const titles = { system: t('As the system'), light: t('Light'), dark: t('Dark') };
  return (
    <Menu
      name={t('Colours: {theme}', { theme: titles[theme] })}
      className={styles['entry']}
      label={
        <>
          <Moon size={16} aria-hidden /> <span className={styles['label']}>{t('Colours')}</span>
        </>
      }
      items={(['system', 'light', 'dark'] as const).map((one) => ({
        title: titles[one],
        run: () => setTheme(one),
      }))}
    />
  );
}
