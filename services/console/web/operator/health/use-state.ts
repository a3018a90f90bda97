import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { t } from '../../app/i18n.ts';
import { getSession } from '../../app/session.ts';

/** A service, as the instance that answered describes it. */
export interface ServiceState {
  service: string;
  status: 'ready' | 'not ready' | 'unreachable';
  problems: Record<string, string>;
  version: string | null;
  revision: string | null;
  startedAt: string | null;
  dependencies: { name: string; isUp: boolean }[];
}

/** A consumer group and a topic that it reads. */
export interface GroupState {
  group: string;
  topic: string;
  partitions: number;
  behind: number;
  members: number | null;
}

interface DeploymentState {
  services: ServiceState[];
  groups: GroupState[];
}

const REFRESH_MS = 10_000;

/** Reads the state of the deployment, again and again. */
export function useDeployment(): UseQueryResult<DeploymentState> {
  return useQuery({
    queryKey: ['operator', 'state'],
    async queryFn({ signal }) {
      // Renews the mark of an operator that the console's server asks for.
      await getSession();
      const response = await fetch('/operator/state', { signal });
      if (!response.ok)
        throw new Error(t('The state cannot be read: status {status}.', { status: String(response.status) }));
      return response.json();
    },
    refetchInterval: REFRESH_MS,
  });
}
