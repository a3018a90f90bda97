import type { Result } from '@switchboard/management';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { api, useCall } from '../app/api.ts';
import { t } from '../app/i18n.ts';
import { type Place, usePlace } from '../app/project.ts';
import { type Change, followConversations } from '../live/conversations.ts';
import { useGranted } from './use-granted.ts';
import { useKeptPush } from './use-push.ts';
import { isWatched } from './watching.ts';

type Preferences = Result<'getInboxPreferences'>;
type Conversation = Result<'readConversation'>;

const SHOWN_OF_TURN = 200;

/**
 * Shows turns of visitors as desktop notifications on every page of a project, if the member wants them. One tab of the
 * browser listens; when it is closed, another one does. A click opens the conversation.
 */
export function Notifier() {
  const place = usePlace();
  const { project } = place;
  const navigate = useNavigate();
  const { data: preferences } = useCall(['getInboxPreferences', project.id], (client, options) =>
    client.call('getInboxPreferences', { params: { projectId: project.id } }, options),
  );
  const isPushed = useKeptPush();
  // A browser with pushes shows those.
  const isOn = useGranted() && !isPushed && preferences !== undefined && preferences.desktop !== 'off';
  const latest = useRef({ place, preferences, navigate });
  latest.current = { place, preferences, navigate };
  useEffect(() => {
    if (!isOn) return;
    const closing = new AbortController();
    const { signal } = closing;
    const onChange = (change: Change) => {
      const { place, preferences, navigate } = latest.current;
      const open = (id: string) => void navigate({ to: place.pathOf('/inbox'), search: { open: id } });
      if (preferences !== undefined) notify(place, preferences, change, open).catch(() => undefined);
    };
    navigator.locks
      .request(`notifications:${project.id}`, { signal }, () =>
        followConversations(project.id, { onReady: () => undefined, onChange }, signal),
      )
      .catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    return () => closing.abort();
  }, [isOn, project.id]);
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return;
    const closing = new AbortController();
    // The service worker asks for the page of a push.
    navigator.serviceWorker.addEventListener(
      'message',
      ({ data }) => void navigate({ href: String(data.open) }),
      { signal: closing.signal },
    );
    navigator.serviceWorker.startMessages();
    return () => closing.abort();
  }, [navigate]);
  return null;
}

/** Shows a turn of a visitor unless the member looks at the inbox. */
async function notify(
  { project, me }: Place,
  preferences: Preferences,
  { kind, conversationId: id, turn }: Change,
  open: (id: string) => void,
): Promise<void> {
  if (kind !== 'turn' || turn?.authorKind !== 'visitor' || isQuiet(preferences, new Date())) return;
  if (await isWatched(project.id)) return;
  const client = await api();
  const conversation = await client.call('readConversation', {
    params: { projectId: project.id, id },
    query: { after: turn.id },
  });
  if (!isWanted(preferences, conversation, me.sub)) return;
  const shown = new Notification(
    conversation.subject ?? t('A visitor writes in {project}', { project: project.name }),
    {
      body: turn.body.slice(0, SHOWN_OF_TURN),
      // Later turns of the conversation replace the notification.
      tag: id,
    },
  );
  shown.onclick = () => {
    window.focus();
    open(id);
    shown.close();
  };
}

function isWanted(
  { desktop, teamIds }: Preferences,
  { assigneeId, teamId }: Conversation,
  sub: string,
): boolean {
  if (desktop !== 'mine') return desktop === 'all';
  return assigneeId === sub || (assigneeId === null && (teamId === null || teamIds.includes(teamId)));
}

function isQuiet({ quietHours, timezone }: Preferences, at: Date): boolean {
  if (quietHours === null) return false;
  const { from, to } = quietHours;
  const time = at.toLocaleTimeString('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' });
  return from < to ? from <= time && time < to : from <= time || time < to;
}
