import type { FlagUsage } from '@switchboard/management';
import { useMemo } from 'react';
import { useCall } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

const REFRESH_MS = 60_000;

/** Returns the usage of the project's flags by key. Empty until it is known. */
export function useFlagUsage(): ReadonlyMap<string, FlagUsage> {
  const { project } = usePlace();
  const { data } = useCall(
    ['listFlagUsage', project.id],
    (client, options) => client.call('listFlagUsage', { params: { projectId: project.id } }, options),
    { refreshMs: REFRESH_MS },
  );
  return useMemo(() => new Map((data?.usage ?? []).map((usage) => [usage.key, usage])), [data]);
}
