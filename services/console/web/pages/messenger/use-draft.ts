import { type Client, isNotFound, ManagementError } from '@switchboard/management';
import { useBlocker } from '@tanstack/react-router';
import { useMemo, useRef, useState } from 'react';
import { queries, useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { showToast } from '../../app/toasts.ts';
import { useUndo } from '../insights/undo.ts';
import { changesOf, DEFAULTS, type Draft, type Stored, withChanges } from './draft.ts';
import { storePictures } from './pictures.ts';

/** Reads what the API has. */
export function useStored() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  return useCall(['getMessengerSettings', project.id], async (client, options): Promise<Stored> => {
    let etag: string | undefined;
    const onETag = (given: string) => {
      etag = given;
    };
    const [settings, { search }] = await Promise.all([
      client.call('getMessengerSettings', { params }, { ...options, onETag }).catch((error: unknown) => {
        if (isNotFound(error)) return DEFAULTS;
        throw error;
      }),
      client.call('getHelpCentre', { params }, options),
    ]);
    return { settings, search, pictures: {}, etag };
  });
}

/** An edit, and what was stored when it began. */
interface Edit {
  from: Stored;
  draft: Draft;
}

/** Keeps an edit apart from the stored settings, which others may change at the same time. */
export function useDraft(stored: Stored) {
  const [edit, setEdit] = useState<Edit>();
  const draft = edit?.draft ?? stored;
  const latest = useRef(draft);
  latest.current = draft;
  const undo = useUndo<Draft>(draft, (next) => setEdit({ from: edit?.from ?? stored, draft: next }));
  const changes = useMemo(() => (edit === undefined ? [] : changesOf(edit.from, edit.draft)), [edit]);
  /** The changes of others since the edit began. */
  const others = useMemo(
    () => (edit === undefined || edit.from.etag === stored.etag ? [] : changesOf(edit.from, stored)),
    [edit, stored],
  );
  const isDirty = changes.length > 0;
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  return {
    draft,
    from: edit?.from ?? stored,
    changes,
    others,
    undo,
    leaving,
    change(next: Draft | ((latest: Draft) => Draft)) {
      undo.change(typeof next === 'function' ? next(latest.current) : next);
    },
    /** Repeats the edit on the stored settings. */
    rebase: () =>
      setEdit({ from: stored, draft: withChanges({ ...stored, pictures: draft.pictures }, changes) }),
    discard: () => setEdit(undefined),
  };
}

const CONFLICT = 412;
const isConflict = (error: unknown) => error instanceof ManagementError && error.status === CONFLICT;
const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

interface Save {
  from: Stored;
  draft: Draft;
}

/** Saves the settings if nothing else was saved since they were read, and offers to undo it. */
export function useSave() {
  const { project } = usePlace();
  const key = ['getMessengerSettings', project.id];
  const write = async (client: Client, { from, draft }: Save): Promise<Stored> => {
    const params = { projectId: project.id };
    const { search } = draft;
    if (!isSame(from.search, search)) await client.call('putArticleSearch', { params, body: search });
    const body = { ...draft.settings, team: await storePictures(client, project.id, draft) };
    if (from.etag !== undefined && isSame(from.settings, body)) return { ...from, search };
    let { etag } = from;
    const headers = etag === undefined ? {} : { 'If-Match': etag };
    const onETag = (given: string) => {
      etag = given;
    };
    const settings = await client.call('putMessengerSettings', { params, body, headers }, { onETag });
    return { settings, search, pictures: {}, etag };
  };
  const show = (saved: Stored) => queries.setQueryData(key, saved);
  const restore = useChange(async (client, save: Save) => show(await write(client, save)), {
    refresh: [key],
  });
  return useChange(
    async (client, save: Save) => {
      const saved = await write(client, save).catch(async (error: unknown) => {
        // The page shows what others changed, beside the reason.
        if (isConflict(error)) await queries.invalidateQueries({ queryKey: key });
        throw error;
      });
      show(saved);
      const undo = () => restore.mutate({ from: saved, draft: save.from });
      showToast({ text: t('The messenger settings are saved.'), undo });
    },
    { refresh: [key] },
  );
}
