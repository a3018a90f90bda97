import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { FormDialog } from '../../components/dialog.tsx';
import { SelectField, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { useColleagues } from '../threads/members.ts';
import { Channels } from './channels.tsx';
import { definitionOf, draftOf, type SubscriptionDraft, THREADS } from './draft.ts';
import styles from './editor.module.css';
import { useTargets } from './targets.ts';
import { type Definition, EVERY, everyWord, type Subscription, weekdayWord } from './words.tsx';

const MAX_RECIPIENTS = 20;

interface EditorProps {
  /** Undefined creates a subscription. */
  subscription: Subscription | undefined;
  /** The target of a new subscription. */
  report: string | undefined;
  dashboard: string | undefined;
  onSaved: (saved: { id: string }) => void;
  onClose: () => void;
}

/** The form of a subscription. */
export function Editor({ subscription, report, dashboard, onSaved, onClose }: EditorProps) {
  const { project, me } = usePlace();
  const [draft, setDraft] = useState(() => draftOf(subscription, { report, dashboard, sub: me.sub }));
  const [newId] = useState(() => crypto.randomUUID());
  const targets = useTargets();
  const save = useChange(
    (client, body: Definition) =>
      client.call('putSubscription', {
        params: { projectId: project.id, subscriptionId: subscription?.id ?? newId },
        body,
      }),
    { refresh: [['listSubscriptions', project.id]] },
  );
  const change = (changed: Partial<SubscriptionDraft>) => setDraft({ ...draft, ...changed });
  const definition = definitionOf(draft);
  const isNew = subscription === undefined;
  return (
    <FormDialog
      title={isNew ? t('Create subscription') : t('Edit subscription')}
      action={isNew ? t('Create subscription') : t('Save subscription')}
      disabled={definition === undefined || save.isPending || draft.recipients.length > MAX_RECIPIENTS}
      onClose={onClose}
      onSubmit={() => {
        if (definition !== undefined) save.mutate(definition, { onSuccess: onSaved });
      }}
    >
      <SelectField
        label={t('Content')}
        hint={
          draft.target === THREADS
            ? t('Each recipient gets their unread threads and mentions. Nothing is sent without any.')
            : undefined
        }
        value={draft.target}
        options={[
          { value: '', title: t('Choose what to send') },
          ...targets.map(({ value, name }) => ({ value, title: name })),
        ]}
        onChange={({ target }) => change({ target: target.value })}
      />
      <ScheduleFields draft={draft} onChange={change} />
      <Recipients chosen={draft.recipients} onChange={(recipients) => change({ recipients })} />
      {draft.target === THREADS ? null : (
        <Channels
          channels={draft.channels}
          stored={subscription?.channels ?? []}
          onChange={(channels) => change({ channels })}
        />
      )}
      {save.error === null ? null : <Failed error={save.error} />}
    </FormDialog>
  );
}

interface FieldsProps {
  draft: SubscriptionDraft;
  onChange: (changed: Partial<SubscriptionDraft>) => void;
}

function ScheduleFields({ draft, onChange }: FieldsProps) {
  return (
    <>
      <SelectField
        label={t('Send')}
        value={draft.every}
        options={EVERY.map((value) => ({ value, title: everyWord(value) }))}
        onChange={({ target }) => onChange({ every: EVERY.find((one) => one === target.value) ?? 'day' })}
      />
      {draft.every === 'week' ? (
        <SelectField
          label={t('Day of the week')}
          value={String(draft.weekday)}
          options={[1, 2, 3, 4, 5, 6, 7].map((day) => ({ value: String(day), title: weekdayWord(day) }))}
          onChange={({ target }) => onChange({ weekday: Number(target.value) })}
        />
      ) : null}
      {draft.every === 'month' ? (
        <TextField
          label={t('Day of the month')}
          hint={t('A shorter month has its last day.')}
          type="number"
          min={1}
          max={31}
          required
          value={draft.day}
          onChange={({ target }) => onChange({ day: target.value })}
        />
      ) : null}
      <TextField
        label={t('Time')}
        type="time"
        required
        value={draft.at}
        onChange={({ target }) => onChange({ at: target.value })}
      />
      <TextField
        label={t('Time zone')}
        required
        maxLength={100}
        value={draft.timeZone}
        onChange={({ target }) => onChange({ timeZone: target.value })}
      />
    </>
  );
}

interface RecipientsProps {
  chosen: readonly string[];
  onChange: (subs: readonly string[]) => void;
}

function Recipients({ chosen, onChange }: RecipientsProps) {
  return (
    <fieldset className={styles['people']}>
      <legend>{t('Recipients')}</legend>
      {useColleagues().map(({ sub, name }) => (
        <label key={sub}>
          <input
            type="checkbox"
            checked={chosen.includes(sub)}
            onChange={({ target }) =>
              onChange(target.checked ? [...chosen, sub] : chosen.filter((one) => one !== sub))
            }
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}
