import type { Input, Result } from '@switchboard/management';
import { useChange } from '../../app/api.ts';
import { usePlace } from '../../app/project.ts';

export type Settings = Result<'getSignInSettings'>;
export type SettingsInput = Input<'putSignInSettings'>['body'];

export const settingsKey = (companyId: string) => ['getSignInSettings', companyId];

/** Saves the provider and the roles of groups, which the API replaces together. */
export function useSaveSettings() {
  const { company } = usePlace();
  return useChange(
    (client, body: SettingsInput) =>
      client.call('putSignInSettings', { params: { companyId: company.id }, body }),
    { refresh: [settingsKey(company.id)] },
  );
}
