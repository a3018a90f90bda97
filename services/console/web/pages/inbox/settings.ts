import type { Input, SupportSettings } from '@switchboard/management';
import { showAtOnce, useCall, useChange } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

interface Change {
  /** Tells changes apart, because functions have no key. */
  number: number;
  changed(settings: SupportSettings): Input<'putSupportSettings'>['body'];
  /** The values to show before the API has answered. */
  shown?: Partial<SupportSettings>;
}

let changes = 0;
/** The change before. Each change waits for it, because it replaces what was stored. */
let last: Promise<unknown> = Promise.resolve();

/** Returns the settings of support, and functions that change the stored ones. */
export function useSupportSettings() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const key = ['getSupportSettings', project.id];
  const query = useCall(key, (client, options) => client.call('getSupportSettings', { params }, options));
  const { mutate, error } = useChange(
    (client, { changed }: Change) => {
      const run = last.then(async () => {
        const current = await client.call('getSupportSettings', { params });
        return client.call('putSupportSettings', { params, body: changed(current) });
      });
      last = run.catch(() => undefined);
      return run;
    },
    {
      refresh: [key, ['countConversations', project.id]],
      optimistic: ({ shown }) => showAtOnce<SupportSettings>(key, (settings) => ({ ...settings, ...shown })),
    },
  );
  return {
    settings: query.data,
    change: (changed: Change['changed'], callbacks?: Parameters<typeof mutate>[1]) =>
      mutate({ number: changes++, changed }, callbacks),
    set: (shown: Partial<SupportSettings>) =>
      mutate({ number: changes++, changed: (current) => ({ ...current, ...shown }), shown }),
    error,
  };
}
