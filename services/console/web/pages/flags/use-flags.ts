import type { Result } from '@switchboard/management';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { queries, useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';
import { getSession } from '../../app/session.ts';
import { readData } from '../../live/read-data.ts';
import type { NameOf } from './words.ts';

export type LastChange = Result<'listFlags'>['lastChanges'][number];

const RETRY_MS = 2_000;
const POLL_MS = 5_000;

/** Reads the flags of the project, and again whenever one changes. */
export function useFlags() {
  const { project } = usePlace();
  const isLive = useFlagStream(project.id);
  return useCall(
    ['listFlags', project.id],
    (client, options) => client.call('listFlags', { params: { projectId: project.id } }, options),
    isLive ? {} : { refreshMs: POLL_MS },
  );
}

/** Returns a key of the project and the address of the API. Undefined for a person who may not read keys. */
export function useProjectKey(): { key: string; host: string } | undefined {
  const { project, may } = usePlace();
  const { data } = useCall(
    ['listProjectKeys', project.id],
    (client, options) => client.call('listProjectKeys', { params: { projectId: project.id } }, options),
    { enabled: may('keys.write') },
  );
  const session = useQuery({ queryKey: ['session'], queryFn: getSession });
  const [key, host] = [data?.keys[0], session.data?.hosts.api];
  return key === undefined || host === undefined ? undefined : { key, host };
}

/** Follows the changes of flags with a key of the project. Returns whether the stream is open. */
function useFlagStream(projectId: string): boolean {
  const [isLive, setLive] = useState(false);
  const { key, host } = useProjectKey() ?? {};
  useEffect(() => {
    if (key === undefined || host === undefined) return undefined;
    const closing = new AbortController();
    const { signal } = closing;
    const follow = async () => {
      while (!signal.aborted) {
        await readStream({ key, host, signal }, () => {
          setLive(true);
          for (const name of ['listFlags', 'listFlagVersions', 'listScheduledChanges'])
            void queries.invalidateQueries({ queryKey: [name, projectId] });
        });
        if (signal.aborted) return;
        setLive(false);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    void follow();
    return () => closing.abort();
  }, [projectId, key, host]);
  return isLive;
}

interface Stream {
  key: string;
  host: string;
  signal: AbortSignal;
}

/** Calls `onChange` when the stream opens and on each change. Returns when it ends. */
async function readStream({ key, host, signal }: Stream, onChange: () => void): Promise<void> {
  try {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${host}/ofrep/v1/changes`, { headers, signal });
    if (response.body === null || !response.ok) return;
    for await (const data of readData(response.body)) if (data.includes('refetchEvaluation')) onChange();
  } catch {
    // The stream is opened again, and the flags are polled until it is.
  }
}

/** Returns the names of the cohorts of a project. Ids stand for cohorts that the person may not read. */
export function useCohortNames(projectId: string, isNeeded = true): NameOf {
  const { may } = usePlace();
  const { data } = useCall(
    ['listCohorts', projectId],
    (client, options) => client.call('listCohorts', { params: { projectId } }, options),
    { enabled: isNeeded && may('cohorts.read') },
  );
  return useMemo(() => {
    const names = new Map((data?.cohorts ?? []).map(({ id, name }) => [id, name]));
    return (id) => names.get(id) ?? id;
  }, [data]);
}

/** The projects of the company that a flag can be promoted to: those of the same region. */
export function useOtherProjects() {
  const { project, company } = usePlace();
  const { data } = useCall(['listOwnProjects'], (client, options) =>
    client.call('listOwnProjects', {}, options),
  );
  return (data?.projects ?? []).filter(
    ({ id, companyId, region }) => companyId === company.id && region === project.region && id !== project.id,
  );
}
