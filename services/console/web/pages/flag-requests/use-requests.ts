import type { ChangeRequest } from '@switchboard/management';
import { useEffect } from 'react';
import { queries, useCall, useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { showToast } from '../../app/toasts.ts';

export type Decision = 'approve' | 'reject' | 'withdraw';

interface Listed {
  state?: 'waiting' | 'closed' | 'current' | undefined;
  /** The key of a flag. */
  key?: string;
  enabled?: boolean;
}

const REFRESH_MS = 15_000;

/** Reads the change requests of the project, newest first. */
export function useRequests({ state, key, enabled = true }: Listed) {
  const { project } = usePlace();
  return useList(
    ['listChangeRequests', project.id, state, key],
    async (client, cursor, options) => {
      const { requests, nextCursor } = await client.call(
        'listChangeRequests',
        {
          params: { projectId: project.id },
          query: { ...(state && { state }), ...(key !== undefined && { key }), ...cursor },
        },
        options,
      );
      return { items: requests, nextCursor };
    },
    { enabled, refreshMs: REFRESH_MS },
  );
}

/** Reads a change request. That marks its outcome as read, so the lists and counts are read again. */
export function useRequest(id: string | undefined) {
  const { project } = usePlace();
  const query = useCall(
    ['getChangeRequest', project.id, id],
    (client, options) =>
      client.call('getChangeRequest', { params: { projectId: project.id, requestId: id ?? '' } }, options),
    { enabled: id !== undefined, refreshMs: REFRESH_MS },
  );
  const state = query.isPlaceholderData ? undefined : query.data?.state;
  useEffect(() => {
    if (state !== undefined && state !== 'waiting')
      void queries.invalidateQueries({ queryKey: ['listChangeRequests', project.id] });
  }, [state, project.id]);
  return query;
}

/** Approves, rejects or withdraws change requests. */
export function useDecision() {
  const { project } = usePlace();
  return useChange(
    async (client, { id, decision, note }: { id: string; decision: Decision; note: string }) => {
      const { key, state } = await client.call('decideChangeRequest', {
        params: { projectId: project.id, requestId: id },
        body: { decision, ...(note !== '' && { note }) },
      });
      // Shown here, because the request leaves the list before the change is done.
      showToast({ text: outcomeWords(key, state) });
    },
    {
      refresh: [
        ...['listChangeRequests', 'getChangeRequest'],
        ...['listFlags', 'listFlagVersions', 'listScheduledChanges'],
      ].map((name) => [name, project.id]),
    },
  );
}

/** Returns what the person may decide about a request. */
export function useDecisions({ state, author, approvals }: ChangeRequest): Decision[] {
  const { me, may } = usePlace();
  if (state !== 'waiting' || !may('flags.write')) return [];
  if (author === me.sub) return ['withdraw'];
  return approvals.some(({ sub }) => sub === me.sub) ? ['reject'] : ['approve', 'reject'];
}

function outcomeWords(key: string, state: ChangeRequest['state']): string {
  switch (state) {
    case 'approved':
      return t('The change of {key} is approved.', { key });
    case 'rejected':
      return t('The change of {key} is rejected.', { key });
    case 'withdrawn':
      return t('The change of {key} is withdrawn.', { key });
    default:
      return t('The change of {key} waits for further approvals.', { key });
  }
}
