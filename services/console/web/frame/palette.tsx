import {
  Combobox,
  ComboboxGroup,
  ComboboxGroupLabel,
  ComboboxItem,
  ComboboxList,
  ComboboxProvider,
} from '@ariakit/react';
import type { ConversationSummary } from '@switchboard/management';
import type { UseQueryResult } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { t } from '../app/i18n.ts';
import { usePlace } from '../app/project.ts';
import { pages } from '../app/registry.ts';
import menu from '../components/menu.module.css';
import { relative } from '../components/values.tsx';
import { nameOf } from '../pages/people/columns.tsx';
import styles from './frame.module.css';
import { type Entry, matchesOf } from './palette-matches.ts';
import { recentOf, rememberRecent } from './palette-recent.ts';
import { MAX_OF_KIND, useSources } from './palette-sources.ts';

const MAX_PAGES = 8;

interface Group {
  title: string;
  entries: readonly Entry[];
}

/** Finds pages, commands and everything with a name in the project. */
export function Palette({ onClose }: { onClose: () => void }) {
  const { project, pathOf } = usePlace();
  const router = useRouter();
  const [query, setQuery] = useState('');
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  const { groups, isLoading, missing } = useGroups(query);
  const open = (entry: Entry) => {
    rememberRecent(project.id, entry);
    onClose();
    router.history.push(pathOf(entry.to));
  };
  return (
    <dialog ref={ref} aria-label={t('Search')} className={styles['palette']} onClose={onClose}>
      <ComboboxProvider open setValue={setQuery}>
        <Combobox
          autoFocus
          autoSelect="always"
          aria-label={t('Search')}
          placeholder={t('Search pages, people, flags, reports and more')}
        />
        <ComboboxList alwaysVisible className={styles['results']} aria-label={t('Results')}>
          {groups.map(({ title, entries }) => (
            <ComboboxGroup key={title}>
              <ComboboxGroupLabel className={menu['heading']}>{title}</ComboboxGroupLabel>
              {entries.map((entry) => (
                <ComboboxItem
                  key={entry.to}
                  value={`${title}: ${entry.title}`}
                  hideOnClick={false}
                  setValueOnClick={false}
                  className={`${menu['item']} ${styles['found']}`}
                  onClick={() => open(entry)}
                >
                  <span>{entry.title}</span>
                  <span className={styles['kind']}>
                    {entry.detail ?? (entry.kind === title ? '' : entry.kind)}
                  </span>
                </ComboboxItem>
              ))}
            </ComboboxGroup>
          ))}
          {groups.length === 0 ? (
            <p role="status" className={styles['none']}>
              {isLoading ? t('Searching') : t('Nothing found')}
            </p>
          ) : null}
        </ComboboxList>
        {missing.length === 0 ? null : (
          <p role="status" className={styles['none']}>
            {t('Not searched: {missing}', { missing: missing.join(', ') })}
          </p>
        )}
      </ComboboxProvider>
    </dialog>
  );
}

/** The results by kind: without a query those opened recently and the pages. */
function useGroups(query: string): { groups: Group[]; isLoading: boolean; missing: string[] } {
  const { project, may } = usePlace();
  const sources = useSources(query);
  const recent = recentOf(project.id);
  const allPages = pages
    .filter(({ permission }) => permission === undefined || may(permission))
    .flatMap(({ title, path, rail, commands = [], settings }) => [
      ...(rail === undefined
        ? []
        : [{ title: title(), to: path, kind: t('Pages'), also: settings?.().join(' ') }]),
      ...commands.map((command) => ({ title: command.title(), to: command.to, kind: t('Pages') })),
    ]);
  if (query.trim() === '') {
    const all = [
      { title: t('Recent'), entries: recent },
      { title: t('Pages'), entries: allPages },
    ];
    return { groups: all.filter(({ entries }) => entries.length > 0), isLoading: false, missing: [] };
  }
  const id = encodeURIComponent;
  // The router reads values as JSON: "7" and "true" are texts only in quotes.
  const value = (text: string) => id(isJson(text) ? JSON.stringify(text) : text);
  const { flags, reports, dashboards, cohorts, events, conversations, turns, people, recordings } = sources;
  const lists: readonly (readonly [string, UseQueryResult<unknown>, readonly Omit<Entry, 'kind'>[]])[] = [
    [
      t('Flags'),
      flags,
      (flags.data?.flags ?? []).map(({ key, description }) => ({
        title: key,
        to: `/flags/${id(key)}`,
        also: description ?? '',
      })),
    ],
    [
      t('Reports'),
      reports,
      (reports.data?.reports ?? []).map((one) => ({
        title: one.name,
        to: `/reports/${id(one.id)}`,
        also: one.id,
      })),
    ],
    [
      t('Dashboards'),
      dashboards,
      (dashboards.data?.dashboards ?? []).map((one) => ({
        title: one.name,
        to: `/dashboards/${id(one.id)}`,
        also: one.id,
      })),
    ],
    [
      t('Events'),
      events,
      (events.data?.eventNames ?? []).map(({ name }) => ({
        title: name,
        to: `/dictionary?open=${value(name)}`,
      })),
    ],
    [
      t('Cohorts'),
      cohorts,
      (cohorts.data?.cohorts ?? []).map((one) => ({
        title: one.name,
        to: `/cohorts?open=${value(one.id)}`,
        also: one.id,
      })),
    ],
  ];
  const conversationOf = (one: ConversationSummary) => ({
    title: one.subject ?? one.distinctId,
    to: `/inbox?open=${value(one.id)}`,
    kind: t('Conversations'),
  });
  const byWords = (turns.data?.matches ?? []).map(({ conversation, excerpt }) => ({
    ...conversationOf(conversation),
    detail: excerpt,
  }));
  const byName = matchesOf(
    (conversations.data?.conversations ?? []).map((one) => ({
      ...conversationOf(one),
      also: `${one.id} ${one.distinctId}`,
    })),
    query,
    { most: MAX_OF_KIND, recent },
  );
  const groups = [
    { title: t('Pages'), entries: matchesOf(allPages, query, { most: MAX_PAGES, recent }) },
    ...lists.map(([kind, , entries]) => ({
      title: kind,
      entries: matchesOf(
        entries.map((entry) => ({ ...entry, kind })),
        query,
        { most: MAX_OF_KIND, recent },
      ),
    })),
    {
      title: t('Conversations'),
      entries: [...new Map([...byWords, ...byName].map((one) => [one.to, one])).values()].slice(
        0,
        MAX_OF_KIND,
      ),
    },
    {
      title: t('People'),
      entries: (people.data?.people ?? []).map((one) => ({
        title: nameOf(one),
        to: `/people/${id(one.distinctId)}`,
        kind: t('People'),
      })),
    },
    {
      title: t('Recordings'),
      entries: (recordings.data?.replays ?? []).map((one) => ({
        title: one.sessionId,
        to: `/recordings/${id(one.sessionId)}`,
        kind: t('Recordings'),
        detail: relative(new Date(one.firstAt), new Date()),
      })),
    },
  ];
  const asked = [
    ...lists.map(([kind, list]) => [kind, list] as const),
    [t('Conversations'), conversations] as const,
    [t('Conversations'), turns] as const,
    [t('People'), people] as const,
    [t('Recordings'), recordings] as const,
  ];
  return {
    groups: groups.filter(({ entries }) => entries.length > 0),
    isLoading: asked.some(([, { isFetching }]) => isFetching),
    missing: [...new Set(asked.filter(([, { error }]) => error !== null).map(([kind]) => kind))],
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
