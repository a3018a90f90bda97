import { useEffect, useState } from 'react';
import { useCall } from '../app/api.ts';
import { usePlace } from '../app/project.ts';
import { pages } from '../app/registry.ts';

const DEBOUNCE_MS = 150;
const MAX_PEOPLE = 5;

/** Returns a text once it has not changed for 150 ms. */
export function useDebounced(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

/** Reads the lists to search, once the person types, and the people whom the API finds. */
export function useSources(query: string) {
  const { project, may } = usePlace();
  const params = { projectId: project.id };
  const settled = useDebounced(query.trim());
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
      client.call('listPeople', { params, query: { search: settled, limit: MAX_PEOPLE } }, options),
    { enabled: settled !== '' && of('people.read', '/people').enabled },
  );
  return { flags, reports, dashboards, cohorts, events, conversations, people };
}
