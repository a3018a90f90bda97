import type { ConversationSummary, Result } from '@switchboard/management';
import { useCallback, useRef } from 'react';
import { useCall } from '../../../app/api.ts';
import { t } from '../../../app/i18n.ts';
import { usePlace } from '../../../app/project.ts';
import type { Change } from '../live.ts';

type Preferences = Result<'getInboxPreferences'>;

const SHOWN_OF_TURN = 200;

/**
 * Returns a function that shows a turn of a visitor as a desktop notification, if the member wants it and does not look
 * at the page. A click opens the conversation.
 */
export function useDesktopNotifications(
  conversations: readonly ConversationSummary[],
  open: (id: string) => void,
): (change: Change) => void {
  const { project, me } = usePlace();
  const { data: preferences } = useCall(['getInboxPreferences', project.id], (client, options) =>
    client.call('getInboxPreferences', { params: { projectId: project.id } }, options),
  );
  const latest = useRef({ preferences, conversations, open });
  latest.current = { preferences, conversations, open };
  return useCallback(
    ({ kind, conversationId, turn }) => {
      const { preferences: wanted, conversations: known, open: show } = latest.current;
      if (kind !== 'turn' || turn?.authorKind !== 'visitor' || wanted === undefined) return;
      if (!('Notification' in window) || Notification.permission !== 'granted') return;
      if (document.hasFocus() || isQuiet(wanted, new Date())) return;
      const conversation = known.find(({ id }) => id === conversationId);
      if (!isWanted(wanted, conversation, me.sub)) return;
      const shown = new Notification(
        conversation?.subject ?? t('A visitor writes in {project}', { project: project.name }),
        {
          body: turn.body.slice(0, SHOWN_OF_TURN),
          // Later turns of the conversation replace the notification.
          tag: conversationId,
        },
      );
      shown.onclick = () => {
        window.focus();
        show(conversationId);
        shown.close();
      };
    },
    [project.name, me.sub],
  );
}

/** A conversation that is not listed is new, so no one has it. */
function isWanted(
  { desktop, teamIds }: Preferences,
  conversation: ConversationSummary | undefined,
  sub: string,
): boolean {
  if (desktop !== 'mine' || conversation === undefined) return desktop !== 'off';
  const { assigneeId, teamId } = conversation;
  return assigneeId === sub || (assigneeId === null && (teamId === null || teamIds.includes(teamId)));
}

function isQuiet({ quietHours, timezone }: Preferences, at: Date): boolean {
  if (quietHours === null) return false;
  const { from, to } = quietHours;
  const time = at.toLocaleTimeString('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' });
  return from < to ? from <= time && time < to : from <= time || time < to;
}
