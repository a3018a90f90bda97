import type { Input, SupportSettings } from '@switchboard/management';
import { useCall, useChange } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

type Definition = Input<'putSupportSettings'>['body'];

/** Returns the settings of support, and a function that changes the stored ones. */
export function useSupportSettings() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const key = ['getSupportSettings', project.id];
  const query = useCall(key, (client, options) => client.call('getSupportSettings', { params }, options));
  const { mutate, error } = useChange(
    async (client, changed: (settings: SupportSettings) => Definition) => {
      const current = await client.call('getSupportSettings', { params });
      return client.call('putSupportSettings', { params, body: changed(current) });
    },
    { refresh: [key, ['countConversations', project.id]] },
  );
  return { settings: query.data, change: mutate, error };
}
