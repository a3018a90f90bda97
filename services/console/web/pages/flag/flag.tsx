import type { FlagEntry } from '@switchboard/management';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { Power } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { onUse } from '../../app/on-use.tsx';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button, withKey } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { PageLayout, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { FlagRequests } from '../flag-requests/panel.tsx';
import { changeOrRequest } from '../flags/change-or-request.ts';
import { Clients } from '../flags/clients.tsx';
import { FlagState } from '../flags/flag-state.tsx';
import { switchTitle, useFlagSwitch } from '../flags/switch.tsx';
import { type LastChange, useFlags } from '../flags/use-flags.ts';
import { useNames } from '../threads/members.ts';
import { Editor } from './editor.tsx';
import styles from './flag.module.css';
import { search, VIEWS } from './search.ts';

const People = onUse(async () => (await import('./people.tsx')).People);
const Usage = onUse(async () => (await import('../flag-usage/usage.tsx')).Usage);
const History = onUse(async () => (await import('./history.tsx')).History);
const Projects = onUse(async () => (await import('./projects.tsx')).Projects);
const Snippets = onUse(async () => (await import('./snippets.tsx')).Snippets);
const Hooks = onUse(async () => (await import('../flag-hooks/hooks.tsx')).Hooks);
const Scheduled = onUse(async () => (await import('./scheduled.tsx')).Scheduled);

export function Page() {
  const { flagKey = '' } = useParams({ strict: false });
  const query = useFlags();
  const flag = query.data?.flags.find(({ key }) => key === flagKey);
  if (query.data === undefined || flag === undefined)
    return (
      <PageLayout title={flagKey}>
        <Loaded query={query}>{() => <Empty text={t('The project has no flag with this key.')} />}</Loaded>
      </PageLayout>
    );
  const change = query.data.lastChanges.find(({ key }) => key === flagKey);
  // With a key, so that nothing of the flag before is shown or saved.
  return <FlagPage key={flagKey} flag={flag} change={change} flags={query.data.flags} />;
}

interface FlagPageProps {
  flag: FlagEntry;
  change: LastChange | undefined;
  flags: readonly FlagEntry[];
}

function FlagPage({ flag, change, flags }: FlagPageProps) {
  const { project, may, pathOf } = usePlace();
  const [{ view }] = usePageSearch(search);
  const flip = useFlagSwitch();
  const mayWrite = may('flags.write');
  const path = `/v1/projects/${encodeURIComponent(project.id)}/flags/${encodeURIComponent(flag.key)}`;
  const titles = titlesOf();
  return (
    <PageLayout
      title={flag.key}
      actions={
        <>
          <CopyAs call={{ method: 'GET', path }} command={`switchboard get flag ${project.id} ${flag.key}`} />
          {mayWrite ? (
            <Button
              icon={Power}
              kind={flag.enabled ? 'danger' : 'plain'}
              disabled={flip.isPending}
              keys="x"
              onClick={() => flip.ask(flag, change?.version)}
            >
              {switchTitle(flag)}
            </Button>
          ) : null}
        </>
      }
    >
      <p className={styles['summary']}>
        <FlagState enabled={flag.enabled} />
        <Changed change={change} />
      </p>
      <Clients flag={flag} version={change?.version} isChanging={flip.isPending} />
      {flip.element}
      <nav className={styles['views']} aria-label={t('Parts of the page')}>
        {VIEWS.map((one, at) => (
          <Link
            key={one}
            to={pathOf(`/flags/${encodeURIComponent(flag.key)}`)}
            search={one === 'settings' ? {} : { view: one }}
            activeOptions={{ exact: true }}
            aria-current={one === view ? 'page' : undefined}
            {...withKey(`${at + 1}`)}
          >
            {titles[one]}
          </Link>
        ))}
      </nav>
      {/* The fields stay while another view is shown, so that no change is lost. */}
      <div hidden={view !== 'settings'} className={styles['view']}>
        <FlagRequests flagKey={flag.key} />
        <Scheduled flag={flag} />
        <Editor saved={{ flag, version: change?.version }} flags={flags} onSaved={() => undefined} />
        <Hooks flagKey={flag.key} />
        {mayWrite ? <Delete flag={flag} version={change?.version} /> : null}
      </div>
      {view === 'people' ? <People flag={flag} flags={flags} /> : null}
      {view === 'usage' ? <Usage flagKey={flag.key} /> : null}
      {view === 'history' ? <History flag={flag} version={change?.version} /> : null}
      {view === 'projects' ? <Projects flag={flag} /> : null}
      {view === 'code' ? <Snippets flag={flag} /> : null}
    </PageLayout>
  );
}

const titlesOf = (): Record<(typeof VIEWS)[number], string> => ({
  settings: t('Settings'),
  people: t('Who gets this?'),
  usage: t('Usage'),
  history: t('History'),
  projects: t('Projects'),
  code: t('Code'),
});

function Changed({ change }: { change: LastChange | undefined }) {
  const authorOf = useNames();
  if (change === undefined) return null;
  return (
    <span className={styles['muted']}>
      {t('Version {version}', { version: change.version })} · <Time at={change.at} /> ·{' '}
      {authorOf(change.author)}
    </span>
  );
}

function Delete({ flag, version }: { flag: FlagEntry; version: number | undefined }) {
  const { project, pathOf } = usePlace();
  const navigate = useNavigate();
  const [isOpen, setIsOpen] = useState(false);
  const remove = useChange(
    async (client, _: undefined) => {
      const isMade = await changeOrRequest(client, project.id, {
        make: () =>
          client.call('deleteFlag', {
            params: { projectId: project.id, key: flag.key },
            headers: version === undefined ? {} : { 'If-Match': `"${version}"` },
          }),
        asked: { key: flag.key, flag: null },
      });
      // Before the flags are read again, because the page of a deleted flag has nothing to go on from.
      if (isMade) await navigate({ to: pathOf('/flags') });
      else setIsOpen(false);
    },
    { refresh: [['listFlags', project.id]] },
  );
  return (
    <Section title={t('Delete')}>
      <div>
        <Button keys="d" kind="danger" onClick={() => setIsOpen(true)}>
          {t('Delete flag')}
        </Button>
      </div>
      {isOpen ? (
        <Confirm
          title={t('Delete {key}?', { key: flag.key })}
          action={t('Delete flag')}
          pending={remove.isPending}
          onClose={() => setIsOpen(false)}
          onConfirm={() => remove.mutate(undefined)}
        >
          <p>{t('Code that reads it gets its own default. Its scheduled changes fail.')}</p>
          {remove.error === null ? null : <Failed error={remove.error} />}
        </Confirm>
      ) : null}
    </Section>
  );
}
