import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Button } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { type AlertDraft, alertQuery, definitionOf, draftOf, partsOf } from './draft.ts';
import { Preview } from './preview.tsx';
import { RuleFields } from './rule-fields.tsx';
import type { Alert, Definition } from './words.tsx';

interface EditorProps {
  /** Undefined creates an alert. */
  alert: Alert | undefined;
  /** The report that a new alert is about. */
  reportId: string | undefined;
  onSaved: (saved: { id: string }) => void;
  onClose: () => void;
}

/** The form of an alert. */
export function Editor({ alert, reportId, onSaved, onClose }: EditorProps) {
  const { project } = usePlace();
  const [typed, setDraft] = useState(() => draftOf(alert, reportId));
  const [previewed, setPreviewed] = useState<Definition>();
  const reports = useCall(['listReports', project.id, 'alerts'], (client, options) =>
    client.call('listReports', { params: { projectId: project.id } }, options),
  );
  const usable = (reports.data?.reports ?? []).flatMap(({ id, name, query }) => {
    const watched = alertQuery(query);
    return watched === undefined ? [] : [{ id, name, query: watched }];
  });
  const chosen = usable.find(({ id }) => id === typed.reportId);
  const draft = chosen === undefined ? typed : { ...typed, query: chosen.query };
  const save = useChange(
    (client, { alertId, body }: { alertId: string; body: Definition }) =>
      client.call('putAlert', { params: { projectId: project.id, alertId }, body }),
    {
      refresh: [
        ['listAlerts', project.id],
        ['getAlert', project.id],
      ],
    },
  );
  const change = (changed: Partial<AlertDraft>) => setDraft({ ...typed, ...changed });
  const definition = definitionOf(draft);
  const parts = partsOf(draft.query);
  const isFunnel = draft.query?.kind === 'funnel';
  return (
    <FormDialog
      title={alert === undefined ? t('Create alert') : t('Edit alert')}
      action={alert === undefined ? t('Create alert') : t('Save alert')}
      disabled={draft.id.trim() === '' || definition === undefined || save.isPending}
      wide
      onClose={onClose}
      onSubmit={() => {
        if (definition === undefined) return;
        save.mutate({ alertId: draft.id.trim(), body: definition }, { onSuccess: onSaved });
      }}
    >
      {alert === undefined ? (
        <TextField
          label={t('Id')}
          hint={t('It names the alert in the API and the audit trail.')}
          value={draft.id}
          required
          maxLength={200}
          onChange={({ target }) => change({ id: target.value })}
        />
      ) : null}
      <TextField
        label={t('Name')}
        value={draft.name}
        required
        maxLength={200}
        onChange={({ target }) => change({ name: target.value })}
      />
      <SelectField
        label={t('Report')}
        hint={t('The alert takes a copy of its query: a trend without a breakdown, or a funnel.')}
        value={draft.reportId}
        options={[
          { value: '', title: alert === undefined ? t('Choose a report') : t('Keep the query') },
          ...usable.map(({ id, name }) => ({ value: id, title: name })),
        ]}
        onChange={({ target }) => change({ reportId: target.value, part: undefined })}
      />
      {parts.length > 1 || isFunnel ? (
        <SelectField
          label={isFunnel ? t('Step') : t('Series')}
          value={String(draft.part ?? (isFunnel ? parts.length : 0))}
          options={parts}
          onChange={({ target }) => change({ part: Number(target.value) })}
        />
      ) : null}
      <RuleFields draft={draft} onChange={change} />
      <CheckField
        label={t('Enabled')}
        checked={draft.enabled}
        onChange={({ target }) => change({ enabled: target.checked })}
      />
      <div>
        <Button disabled={definition === undefined} onClick={() => setPreviewed(definition)}>
          {t('Preview 90 days')}
        </Button>
      </div>
      {previewed === undefined ? null : <Preview definition={previewed} />}
      {save.error === null ? null : <Failed error={save.error} />}
    </FormDialog>
  );
}
