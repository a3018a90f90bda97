import type {
  ConversationChange,
  ConversationSummary,
  Member,
  OperatorConversation,
} from '@switchboard/management';
import type { InfiniteData } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { queries, showAtOnce, useCall, useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';
import { onUse } from '../../app/on-use.tsx';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, withKey } from '../../components/button.tsx';
import { Filter } from '../../components/field.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { short } from '../../components/values.tsx';
import { useLiveConversations } from '../../live/conversations.ts';
import { useWatching } from '../../notifications/watching.ts';
import type { ComposerHandle } from './compose/composer.tsx';
import { Conversation, type Tool } from './conversation.tsx';
import styles from './inbox.module.css';
import { ConversationList } from './list.tsx';
import { PersonPane } from './person.tsx';
import { usePresence } from './presence.ts';
import { search } from './search.ts';
import { useSupportSettings } from './settings.ts';
import { Tools } from './tools.tsx';
import { EditView } from './views/edit-view.tsx';
import { isIn, type View, viewsOf } from './views/views.ts';

const NothingOpen = onUse(async () => (await import('./nothing-open.tsx')).NothingOpen);

type Read = { turns: OperatorConversation['turns'][number][] };
type Listed = InfiniteData<{ items: readonly ConversationSummary[]; nextCursor: string | null }>;

const NO_MEMBERS: readonly Member[] = [];
const NONE: readonly ConversationSummary[] = [];
const NO_IDS: ReadonlySet<string> = new Set();
/** Lists and counts are read again at most this often. */
const REFRESH_MS = 500;
const MAX_CHANGED = 100;

export function Page() {
  const { project, company, me, pathOf } = usePlace();
  const [{ view: viewId = 'open', open, find, pane }, setSearch] = usePageSearch(search);
  const { settings, change: changeSettings, error: settingsError } = useSupportSettings();
  const params = { projectId: project.id };
  const listKey = useMemo(() => ['listConversations', project.id], [project.id]);
  const countsKey = useMemo(() => ['countConversations', project.id], [project.id]);
  const counts = useCall(countsKey, (client, options) =>
    client.call('countConversations', { params }, options),
  );
  const views = viewsOf(settings, counts.data);
  const view = views.find(({ id }) => id === viewId) ?? views[0];
  const saved = settings?.views.find(({ id }) => id === viewId);
  const { query: members } = useList(['listMembers', company.id], async (client, cursor, options) => {
    const answer = await client.call(
      'listMembers',
      { params: { companyId: company.id }, query: cursor },
      options,
    );
    return { items: answer.members, nextCursor: answer.nextCursor };
  });
  const { query: list, more } = useList(
    [...listKey, view?.filter],
    async (client, cursor, options) => {
      const answer = await client.call(
        'listConversations',
        { params, query: { ...view?.filter, ...cursor } },
        options,
      );
      return { items: answer.conversations, nextCursor: answer.nextCursor };
    },
    { enabled: view !== undefined },
  );
  const found = useCall(
    ['searchTurns', project.id, find],
    (client, options) => client.call('searchTurns', { params, query: { text: find ?? '' } }, options),
    { enabled: find !== undefined },
  );
  const conversations =
    find === undefined
      ? (list.data ?? NONE)
      : distinct(found.data?.matches.map((match) => match.conversation));
  const conversation = useCall(
    ['readConversation', project.id, open],
    (client, options) => client.call('readConversation', { params: { ...params, id: open ?? '' } }, options),
    { enabled: open !== undefined },
  );
  const opened = conversation.data?.id === open ? conversation.data : undefined;

  const [selected, setSelected] = useState(NO_IDS);
  const [tool, setTool] = useState<Tool>();
  /** The id of the saved view that is edited, or `new`. */
  const [edited, setEdited] = useState<string>();
  const composer = useRef<ComposerHandle>(null);
  const presence = usePresence(project.id, open, me.sub);

  const show = useCallback(
    (id: string | undefined) => setSearch({ open: id, pane: undefined }, { push: true }),
    [setSearch],
  );
  const at = conversations.findIndex(({ id }) => id === open);
  const step = (by: number) => {
    const next = conversations[at === -1 ? 0 : Math.min(conversations.length - 1, Math.max(0, at + by))];
    if (next !== undefined) show(next.id);
  };

  const refresh = useRefresh([listKey, countsKey]);
  const onReady = useCallback(() => {
    refresh();
    void queries.invalidateQueries({ queryKey: ['readConversation', project.id] });
  }, [refresh, project.id]);
  const { onChange: onPresence } = presence;
  const onChange = useCallback(
    (change: Parameters<typeof onPresence>[0]) => {
      onPresence(change);
      const { kind, conversationId, state, turn } = change;
      if (kind === 'presence' && state !== 'read') return;
      const queryKey =
        kind === 'settings'
          ? ['getSupportSettings', project.id]
          : ['readConversation', project.id, conversationId];
      // The conversation is read again for the mail and the page of the turn.
      if (turn?.authorKind === 'visitor')
        showAtOnce<Read>(queryKey, (before) => ({
          ...before,
          turns: before.turns
            .filter(({ id }) => id !== turn.id)
            .concat({ ...turn, via: 'messenger', mail: null, pageContext: null }),
        }));
      void queries.invalidateQueries({ queryKey });
      refresh();
    },
    [onPresence, refresh, project.id],
  );
  useLiveConversations(project.id, { onReady, onChange });
  useWatching(project.id);

  const changed = useChange(
    (client, { ids, change }: { ids: readonly string[]; change: ConversationChange }) =>
      client.call('changeConversations', { params, body: { conversationIds: [...ids], change } }),
    { refresh: [listKey, countsKey, ['readConversation', project.id]] },
  );

  /** Applies a change to the selected conversations, or to the open one. Goes on to the next if they leave the view. */
  function apply(change: ConversationChange): void {
    const ids = selected.size > 0 ? [...selected].slice(0, MAX_CHANGED) : open === undefined ? [] : [open];
    if (ids.length === 0) return;
    const leaves =
      view !== undefined &&
      find === undefined &&
      open !== undefined &&
      ids.includes(open) &&
      leavesView(view, change, me.sub);
    const following = conversations.slice(at + 1).find(({ id }) => !ids.includes(id));
    const preceding = conversations.slice(0, Math.max(0, at)).findLast(({ id }) => !ids.includes(id));
    if (view !== undefined) showChange([...listKey, view.filter], ids, change, view, me.sub);
    setSelected(NO_IDS);
    if (leaves) show((following ?? preceding)?.id);
    changed.mutate({ ids, change });
  }

  const resolve = () => apply({ status: opened?.status === 'resolved' ? 'open' : 'resolved' });
  const actions = useRef({ step, resolve, open });
  actions.current = { step, resolve, open };
  useKeys(
    useMemo(
      () => [
        { keys: 'j', title: t('Next conversation'), run: () => actions.current.step(1) },
        { keys: 'k', title: t('Previous conversation'), run: () => actions.current.step(-1) },
        {
          keys: 'x',
          title: t('Select the conversation'),
          run: () => {
            const { open: id } = actions.current;
            if (id !== undefined) setSelected((ids) => toggled(ids, id));
          },
        },
        { keys: 'r', title: t('Reply'), run: () => composer.current?.write('reply') },
        { keys: 'n', title: t('Write a private note'), run: () => composer.current?.write('note') },
        { keys: '/', title: t('Insert a saved reply'), run: () => composer.current?.insertSaved() },
        { keys: 'a', title: t('Assign'), run: () => setTool('assign') },
        { keys: 'l', title: t('Label'), run: () => setTool('label') },
        { keys: 'p', title: t('Set the priority'), run: () => setTool('priority') },
        { keys: 'h', title: t('Snooze'), run: () => setTool('snooze') },
        { keys: 'e', title: t('Resolve or reopen'), run: () => actions.current.resolve() },
      ],
      [],
    ),
  );

  const error = changed.error ?? settingsError;
  const shownPane =
    open === undefined ? 'showsList' : pane === 'person' ? 'showsPerson' : 'showsConversation';
  return (
    <div className={`${styles['inbox']} ${styles[shownPane]}`}>
      <h1 className={styles['title']}>{t('Inbox')}</h1>
      <section className={styles['left']} aria-label={t('Views and conversations')}>
        <Views
          views={views}
          current={find === undefined ? view?.id : undefined}
          onChoose={(id) => setSearch({ view: id, find: undefined })}
        />
        <div className={styles['links']}>
          <button type="button" {...withKey('v')} className={styles['tool']} onClick={() => setEdited('new')}>
            {t('New view')}
          </button>
          {saved === undefined ? null : (
            <button
              type="button"
              {...withKey('Shift+V')}
              className={styles['tool']}
              onClick={() => setEdited(saved.id)}
            >
              {t('Edit view')}
            </button>
          )}
          <Link to={pathOf('/inbox/preferences')}>{t('Preferences')}</Link>
          <Link to={pathOf('/inbox-report')}>{t('Report')}</Link>
        </div>
        <Search value={find} onSearch={(words) => setSearch({ find: words })} />
        {selected.size === 0 ? null : (
          <div className={styles['bulk']} role="status">
            <span>{t('{count, plural, one {# selected} other {# selected}}', { count: selected.size })}</span>
            <Button keys="e" onClick={() => apply({ status: 'resolved' })}>
              {t('Resolve')}
            </Button>
            <Button keys="a" onClick={() => setTool('assign')}>
              {t('Assign')}
            </Button>
            <Button keys="Escape" onClick={() => setSelected(NO_IDS)}>
              {t('Clear')}
            </Button>
          </div>
        )}
        <Loaded query={find === undefined ? list : { ...found, data: found.data && conversations }}>
          {() =>
            conversations.length === 0 ? (
              find !== undefined ? (
                <Empty text={t('No turn matches the search.')} />
              ) : view?.id === 'open' ? (
                <NothingOpen />
              ) : (
                <Empty text={t('No conversation is in this view.')} />
              )
            ) : (
              <ConversationList
                conversations={conversations}
                settings={settings}
                open={open}
                selected={selected}
                onOpen={show}
                onSelect={(id) => setSelected(toggled(selected, id))}
                more={find === undefined ? more : undefined}
              />
            )
          }
        </Loaded>
      </section>
      <section className={styles['middle']} aria-label={t('Conversation')}>
        {error === null ? null : <Failed error={error} />}
        {open === undefined ? (
          conversations.length > 0 && (
            <Empty text={t('Choose a conversation. j and k move, r replies, e resolves.')} />
          )
        ) : (
          <Loaded query={{ ...conversation, data: opened }}>
            {(shown) => (
              <Conversation
                conversation={shown}
                settings={settings}
                members={members.data ?? NO_MEMBERS}
                presence={presence.texts}
                composer={composer}
                onTool={setTool}
                onResolve={resolve}
                onBack={() => show(undefined)}
                onPerson={() => setSearch({ pane: pane === 'person' ? undefined : 'person' })}
                onTyping={presence.type}
              />
            )}
          </Loaded>
        )}
      </section>
      <section className={styles['right']} aria-label={t('Person')}>
        {opened === undefined ? null : (
          <>
            <span className={styles['medium']}>
              <Button keys="b" onClick={() => setSearch({ pane: undefined })}>
                {t('Back to the conversation')}
              </Button>
            </span>
            <PersonPane
              key={opened.distinctId}
              distinctId={opened.distinctId}
              userId={opened.userId}
              userVerified={opened.userVerified}
              email={opened.contact?.email}
              importedFrom={opened.importedFrom}
              conversationId={opened.id}
              onOpen={show}
            />
          </>
        )}
      </section>
      {edited === undefined || settings === undefined ? null : (
        <EditView
          view={settings.views.find(({ id }) => id === edited)}
          settings={settings}
          members={members.data ?? NO_MEMBERS}
          onSave={(changedView) => {
            changeSettings(
              ({ views: current, ...rest }) => ({
                ...rest,
                views:
                  changedView.id === undefined
                    ? [...current, changedView]
                    : current.map((one) => (one.id === changedView.id ? { ...one, ...changedView } : one)),
              }),
              {
                onSuccess: ({ views: stored }) => {
                  const id = changedView.id ?? stored.at(-1)?.id;
                  setSearch({ view: id, find: undefined });
                },
              },
            );
            setEdited(undefined);
          }}
          onDelete={(id) => {
            changeSettings(({ views: current, ...rest }) => ({
              ...rest,
              views: current.filter((one) => one.id !== id),
            }));
            setEdited(undefined);
            setSearch({ view: undefined });
          }}
          onClose={() => setEdited(undefined)}
        />
      )}
      {tool === undefined || (opened === undefined && selected.size === 0) ? null : (
        <Tools
          tool={tool}
          me={me.sub}
          labelIds={opened?.labelIds ?? []}
          settings={settings}
          members={members.data ?? NO_MEMBERS}
          onApply={apply}
          onCreateLabel={(name) =>
            changeSettings(
              (current) => ({ ...current, labels: [...current.labels, { name, color: 'blue' }] }),
              {
                onSuccess: ({ labels }) => {
                  const id = labels.find((label) => label.name === name)?.id;
                  if (id !== undefined) apply({ addLabelIds: [id] });
                },
              },
            )
          }
          onClose={() => setTool(undefined)}
        />
      )}
    </div>
  );
}

interface ViewsProps {
  views: readonly View[];
  current: string | undefined;
  onChoose: (id: string) => void;
}

function Views({ views, current, onChoose }: ViewsProps) {
  return (
    <nav aria-label={t('Views')} className={styles['views']}>
      {views.map(({ id, name, count }, at) => (
        <button
          key={id}
          type="button"
          aria-current={id === current ? 'true' : undefined}
          {...withKey(`${at + 1}`)}
          className={styles['view']}
          onClick={() => onChoose(id)}
        >
          {name}
          {count === undefined || count === 0 ? null : <Badge>{short(count)}</Badge>}
        </button>
      ))}
    </nav>
  );
}

/** Searches once the words are typed, because each search reads an index of all turns. */
function Search({ value, onSearch }: { value: string | undefined; onSearch: (words?: string) => void }) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onSearch(typed?.trim() || undefined);
        }}
      >
        <Filter
          label={t('Search all turns')}
          value={typed}
          onChange={(words) => {
            setTyped(words);
            if (words === undefined) onSearch(undefined);
          }}
        />
      </form>
    </search>
  );
}

/** Returns a function that reads the queries again soon, once for several calls. */
function useRefresh(keys: readonly (readonly string[])[]): () => void {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      for (const queryKey of latest.current) void queries.invalidateQueries({ queryKey });
    }, REFRESH_MS);
  }, []);
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const changed = new Set(ids);
  if (!changed.delete(id)) changed.add(id);
  return changed;
}

/** Returns each conversation once. */
function distinct(found: readonly ConversationSummary[] = NONE): readonly ConversationSummary[] {
  return [...new Map(found.map((one) => [one.id, one])).values()];
}

type Values = Pick<ConversationSummary, 'status' | 'snoozed' | 'assigneeId'>;

function changedValues(before: Values, { status, snooze, assigneeId }: ConversationChange): Values {
  return {
    status: status ?? before.status,
    snoozed: status !== 'resolved' && (snooze === undefined ? before.snoozed : snooze !== null),
    assigneeId: assigneeId === undefined ? before.assigneeId : assigneeId,
  };
}

function leavesView(view: View, change: ConversationChange, sub: string): boolean {
  const { status = 'open', snoozed, assigned } = view.filter;
  const assigneeId = assigned === 'me' ? sub : null;
  const before = { status, snoozed: snoozed === 'true', assigneeId };
  return !isIn(view, changedValues(before, change), sub);
}

/** Shows a change in the list before the API has stored it. A list that is read again replaces it. */
function showChange(
  queryKey: readonly unknown[],
  ids: readonly string[],
  change: ConversationChange,
  view: View,
  sub: string,
): void {
  showAtOnce<Listed>(queryKey, (before) => ({
    ...before,
    pages: before.pages.map((page) => ({
      ...page,
      items: page.items
        .map((one) => (ids.includes(one.id) ? { ...one, ...changedValues(one, change) } : one))
        .filter((one) => !ids.includes(one.id) || isIn(view, one, sub)),
    })),
  }));
}
