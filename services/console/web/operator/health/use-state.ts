import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { type DeploymentState, deploymentState } from '../../../src/operator/deployment-state.ts';
import { t } from '../../app/i18n.ts';
import { getSession } from '../../app/session.ts';

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
      return deploymentState.parse(await response.json());
    },
    refetchInterval: REFRESH_MS,
  });
}
