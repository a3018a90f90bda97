import type { UseQueryResult } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useCall } from '../app/api.ts';
import { usePlace } from '../app/project.ts';
import { pages } from '../app/registry.ts';

const DEBOUNCE_MS = 150;
/** A member may search the turns of conversations 60 times a minute. */
const TURNS_DEBOUNCE_MS = 500;
const MIN_WORDS_LENGTH = 3;
const MAX_WORDS_LENGTH = 200;
const MAX_ID_LENGTH = 200;
export const MAX_OF_KIND = 5;

/** Returns a text once it has not changed for a while. */
function useDebounced(text: string, forMs: number): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), forMs);
    return () => clearTimeout(timer);
  }, [text, forMs]);
  return settled;
}

/** Reads the lists to search, once the person types, and the people, turns and recordings that the API finds. */
export function useSources(query: string) {
  const { project, may } = usePlace();
  const params = { projectId: project.id };
  const settled = useDebounced(query.trim(), DEBOUNCE_MS);
  const words = useDebounced(query.trim(), TURNS_DEBOUNCE_MS);
  const isAsked = query.trim() !== '';
  const of = (permission: string, page: string) => ({
    enabled: isAsked && may(permission) && pages.some(({ path }) => path === page),
  });
  const key = (operation: string) => ['palette', operation, project.id];
  const flags = useCall(
    key('listFlags'),
    (client, options) => client.call('listFlags', { params }, options),
    of('flags.read', '/flags'),
  );
  const reports = useCall(
    key('listReports'),
    (client, options) => client.call('listReports', { params }, options),
    of('directory.read', '/reports/$reportId'),
  );
  const dashboards = useCall(
    key('listDashboards'),
    (client, options) => client.call('listDashboards', { params }, options),
    of('directory.read', '/dashboards/$dashboardId'),
  );
  const cohorts = useCall(
    key('listCohorts'),
    (client, options) => client.call('listCohorts', { params }, options),
    of('cohorts.read', '/cohorts'),
  );
  const events = useCall(
    key('listEventNames'),
    (client, options) => client.call('listEventNames', { params }, options),
    of('insights.read', '/dictionary'),
  );
  const conversations = useCall(
    key('listConversations'),
    (client, options) => client.call('listConversations', { params }, options),
    of('conversations.read', '/inbox'),
  );
  const people = useCall(
    [...key('listPeople'), settled],
    (client, options) =>
      client.call('listPeople', { params, query: { search: settled, limit: MAX_OF_KIND } }, options),
    { enabled: settled !== '' && of('people.read', '/people').enabled },
  );
  const turns = useCall(
    [...key('searchTurns'), words],
    (client, options) => client.call('searchTurns', { params, query: { text: words } }, options),
    {
      enabled:
        words.length >= MIN_WORDS_LENGTH &&
        words.length <= MAX_WORDS_LENGTH &&
        of('conversations.read', '/inbox').enabled,
    },
  );
  const recordings = useCall(
    [...key('listReplays'), settled],
    (client, options) =>
      client.call('listReplays', { params, query: { distinct_id: settled, limit: MAX_OF_KIND } }, options),
    {
      enabled: settled !== '' && settled.length <= MAX_ID_LENGTH && of('replays.read', '/recordings').enabled,
    },
  );
  /** Results of the current query only, so that Enter opens nothing of the previous one. */
  const current = <T>({ data, error, isFetching, isPlaceholderData }: UseQueryResult<T>, asked: string) => {
    const isCurrent = asked === query.trim() && !isPlaceholderData;
    return { data: isCurrent ? data : undefined, error, isFetching: isFetching || !isCurrent };
  };
  return {
    ...{ flags, reports, dashboards, cohorts, events, conversations },
    turns: current(turns, words),
    people: current(people, settled),
    recordings: current(recordings, settled),
  };
}
