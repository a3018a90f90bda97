import { DEFAULT_INBOX_PREFERENCES, type InboxPreferences } from '@switchboard/contracts';
import { type AuditedChange, BadRequest } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { SupportStore } from '../support/store.ts';
import type { Agent } from './agent.ts';
import type { AgentsStore } from './store.ts';

interface PreferencesOptions {
  store: Pick<AgentsStore, 'preferences' | 'putPreferences'>;
  support: Pick<SupportStore, 'settings'>;
  clock: Clock;
}

export type Preferences = ReturnType<typeof createPreferences>;

/** Keeps how members hear of waiting conversations. Each member has their own preferences in a project. */
export function createPreferences({ store, support, clock }: PreferencesOptions) {
  async function teamsOf(projectId: string): Promise<readonly { id: string }[]> {
    return (await support.settings(projectId))?.teams ?? [];
  }

  return {
    async read(agent: Agent): Promise<InboxPreferences> {
      return (await store.preferences(agent)) ?? DEFAULT_INBOX_PREFERENCES;
    },

    async replace(
      change: AuditedChange,
      agent: Agent,
      preferences: InboxPreferences,
    ): Promise<InboxPreferences> {
      const teams = await teamsOf(agent.projectId);
      const unknown = preferences.teamIds.find((id) => !teams.some((team) => team.id === id));
      if (unknown !== undefined)
        throw new BadRequest(`teamIds: ${unknown} is not in the settings of support`);
      change.describe({ after: preferences });
      await store.putPreferences(agent, preferences, preferences.mailDigest ? clock.now() : null, change);
      return preferences;
    },
  };
}
