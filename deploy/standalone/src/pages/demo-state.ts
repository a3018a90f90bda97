import { createClient, isNotFound } from '@switchboard/management';

/** The state that the shop shows in its panel, read with the operator's token. The page never gets that token. */
export interface DemoState {
  flags(): Promise<{ key: string; description: string | null; enabled: boolean }[]>;
  /** Returns the state of each event, by id. */
  events(
    ids: readonly string[],
  ): Promise<Record<string, 'not_seen' | 'accepted' | 'archived' | 'dead_letter'>>;
  /** Returns all distinct ids of the person with this id, the one that names the person first. */
  idsOf(distinctId: string): Promise<string[]>;
  /** Switches a flag. Returns whether the flag exists. */
  setFlag(key: string, enabled: boolean): Promise<boolean>;
  /** Replies to the person's latest conversation as a teammate. Returns whether there is one. */
  answer(distinctId: string, body: string): Promise<boolean>;
  /** Returns the address of a report's public page, or undefined while its link is off. */
  findReport(projectId: string, reportId: string): Promise<string | undefined>;
}

const TEAMMATE = 'grace';

const RETRY_MS = 2_000;

export function createDemoState(
  urls: { api: string; management: string },
  { project_id: projectId, tokens }: { project_id: string; tokens: { operator: string; owner: string } },
): DemoState {
  const client = createClient({ token: tokens.operator, url: urls.management, retryForMs: RETRY_MS });
  const owner = createClient({ token: tokens.owner, url: urls.api, retryForMs: RETRY_MS });
  return {
    async flags() {
      const { flags } = await client.call('listFlags', { params: { projectId } });
      return flags.map(({ key, description = null, enabled }) => ({ key, description, enabled }));
    },
    async events(ids) {
      const states = ids.map(async (eventId) => {
        const { state } = await client.call('findEvent', { params: { projectId, eventId } });
        return [eventId, state] as const;
      });
      return Object.fromEntries(await Promise.all(states));
    },
    async idsOf(distinctId) {
      const person = await owner.call('getPerson', { params: { projectId, distinctId } });
      return person.ids.map((one) => one.distinctId);
    },
    async setFlag(key, enabled) {
      const params = { projectId, key };
      try {
        const { key: _key, ...definition } = await client.call('getFlag', { params });
        await client.call('putFlag', { params, body: { ...definition, enabled } });
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },
    async answer(distinctId, body) {
      const { conversations } = await client.call('listConversations', {
        params: { projectId },
        query: { distinctId, limit: 1 },
      });
      const [latest] = conversations;
      if (latest === undefined) return false;
      const params = { projectId, id: latest.id };
      await client.call('appendTeammateTurn', { params, body: { authorId: TEAMMATE, body } });
      return true;
    },
    async findReport(ofProject, reportId) {
      try {
        const link = await owner.call('getPublicLink', { params: { projectId: ofProject, reportId } });
        return link.url;
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
  };
}
