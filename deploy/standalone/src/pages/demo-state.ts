import { createManagementClient, ManagementError } from '@switchboard/cli';
import { findEvent, getFlag, listFlags, putFlag } from '@switchboard/contracts';
import { z } from 'zod';

/** What the shop shows beside itself, read with the operator's token, which the page never has. */
export interface DemoState {
  flags(): Promise<{ key: string; description: string | null; enabled: boolean }[]>;
  /** Where each event is, by id. */
  events(
    ids: readonly string[],
  ): Promise<Record<string, 'not_seen' | 'accepted' | 'archived' | 'dead_letter'>>;
  /** Returns whether there is such a flag. */
  setFlag(key: string, enabled: boolean): Promise<boolean>;
}

const flagList = z.object({
  flags: z.array(
    z.object({ key: z.string(), description: z.string().nullish().default(null), enabled: z.boolean() }),
  ),
});
const found = z.object({ state: z.enum(['not_seen', 'accepted', 'archived', 'dead_letter']) });

export function createDemoState(
  managementUrl: string,
  { project_id: projectId, tokens }: { project_id: string; tokens: { operator: string } },
): DemoState {
  const client = createManagementClient({
    token: tokens.operator,
    addressOf: () => managementUrl,
    retryForMs: 2_000,
  });
  return {
    flags: async () => flagList.parse(await client.call(listFlags, { params: { projectId } })).flags,
    async events(ids) {
      const states = ids.map(async (eventId) => {
        const answer = await client.call(findEvent, { params: { projectId, eventId } });
        return [eventId, found.parse(answer).state] as const;
      });
      return Object.fromEntries(await Promise.all(states));
    },
    async setFlag(key, enabled) {
      const params = { projectId, key };
      try {
        const flag = z.looseObject({ key: z.string() }).parse(await client.call(getFlag, { params }));
        const { key: _key, ...definition } = flag;
        await client.call(putFlag, { params, body: { ...definition, enabled } });
        return true;
      } catch (error) {
        if (error instanceof ManagementError && error.status === 404) return false;
        throw error;
      }
    },
  };
}
