import { type ChangeRequestDefinition, type Client, ManagementError } from '@switchboard/management';
import { queries } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { showToast } from '../../app/toasts.ts';

/** Makes a change of a flag, or requests it where others must approve it. Returns whether it was made. */
export async function changeOrRequest(
  client: Client,
  projectId: string,
  { make, asked }: { make: () => Promise<unknown>; asked: ChangeRequestDefinition },
): Promise<boolean> {
  try {
    await make();
    return true;
  } catch (error) {
    if (!(error instanceof ManagementError && error.code === 'APPROVAL_REQUIRED')) throw error;
    await client.call('requestFlagChange', { params: { projectId }, body: asked });
    void queries.invalidateQueries({ queryKey: ['listChangeRequests', projectId] });
    showToast({ text: t('The change of {key} waits for approval.', { key: asked.key }) });
    return false;
  }
}
