import type { FlagEntry, Result } from '@switchboard/management';
import { useState } from 'react';
import { showAtOnce, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { showToast } from '../../app/toasts.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { changeOrRequest } from './change-or-request.ts';
import { saveFlag } from './save.ts';

export const MAX_REASON = 500;

interface Switched {
  flag: FlagEntry;
  version: number | undefined;
}

/**
 * Turns flags on and off, with a reason. `ask` opens the dialog, where Enter confirms. `element` is the dialog, and why
 * the last switch failed.
 */
export function useFlagSwitch() {
  const { project } = usePlace();
  const [asked, setAsked] = useState<Switched>();
  const [reason, setReason] = useState('');
  const list = ['listFlags', project.id];
  const refresh = [list, ['listFlagVersions', project.id]];
  const show = ({ key }: FlagEntry, enabled: boolean) =>
    showAtOnce<Result<'listFlags'>>(list, ({ flags, ...rest }) => ({
      ...rest,
      flags: flags.map((one) => (one.key === key ? { ...one, enabled } : one)),
    }));
  const change = useChange(
    // The reason is a variable, because the field is empty again when this runs.
    (client, { flag: { key, ...definition }, version, why }: Switched & { why: string }) =>
      saveFlag(client, {
        projectId: project.id,
        key,
        definition: { ...definition, enabled: !definition.enabled },
        reason: why,
        version,
      }),
    { refresh, optimistic: ({ flag }) => show(flag, !flag.enabled) },
  );
  /** Restores the version before the switch, unless the flag changed since. */
  const restore = useChange(
    (client, { flag: { key, ...definition }, version }: { flag: FlagEntry; version: number }) =>
      changeOrRequest(client, project.id, {
        make: () =>
          client.call('restoreFlagVersion', {
            params: { projectId: project.id, key },
            headers: { 'If-Match': `"${version + 1}"` },
            body: { version, reason: t('Undone') },
          }),
        asked: { key, flag: definition, reason: t('Undone') },
      }),
    { refresh, optimistic: ({ flag }) => show(flag, flag.enabled) },
  );
  const submit = ({ flag, version }: Switched) => {
    const { key, enabled } = flag;
    change.mutate(
      { flag, version, why: reason },
      {
        onSuccess: (isMade) =>
          version === undefined || !isMade
            ? undefined
            : showToast({
                text: enabled ? t('{key} is off.', { key }) : t('{key} is on.', { key }),
                undo: () => restore.mutate({ flag, version }),
              }),
      },
    );
    close();
  };
  const close = () => {
    setAsked(undefined);
    setReason('');
  };
  const failure = change.error ?? restore.error;
  return {
    isPending: change.isPending || restore.isPending,
    ask: (flag: FlagEntry, version: number | undefined) => setAsked({ flag, version }),
    element: (
      <>
        {failure === null ? null : <Failed error={failure} />}
        {asked === undefined ? null : (
          <FormDialog
            title={
              asked.flag.enabled
                ? t('Turn off {key}?', { key: asked.flag.key })
                : t('Turn on {key}?', { key: asked.flag.key })
            }
            action={switchTitle(asked.flag)}
            kind={asked.flag.enabled ? 'danger' : 'primary'}
            onSubmit={() => submit(asked)}
            onClose={close}
          >
            <TextField
              label={t('Reason')}
              hint={t('Shown in the history of the flag.')}
              value={reason}
              maxLength={MAX_REASON}
              onChange={({ target }) => setReason(target.value)}
            />
          </FormDialog>
        )}
      </>
    ),
  };
}

/** The verb of the switch of a flag. */
export const switchTitle = ({ enabled }: Pick<FlagEntry, 'enabled'>): string =>
  enabled ? t('Turn off flag') : t('Turn on flag');
