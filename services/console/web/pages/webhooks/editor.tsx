import type { Result } from '@switchboard/management';
import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { Suggested } from '../../clauses/suggested.tsx';
import { useCohorts, useEventNames } from '../../clauses/suggestions.ts';
import { Button, IconButton } from '../../components/button.tsx';
import { FormDialog } from '../../components/dialog.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { Failed } from '../../components/state.tsx';
import { definitionOf, draftOf, type EventDraft, emptyEvent, isAboutCohorts } from './draft.ts';
import styles from './webhooks.module.css';
import {
  type Definition,
  FORMATS,
  formatWord,
  TYPES,
  typeWord,
  type Webhook,
  type WebhookType,
} from './words.tsx';

interface EditorProps {
  /** Undefined creates a webhook. */
  webhook: Webhook | undefined;
  onSaved: (saved: Result<'putWebhook'>) => void;
  onClose: () => void;
}

/** The form of a webhook. */
export function Editor({ webhook, onSaved, onClose }: EditorProps) {
  const { project } = usePlace();
  const [draft, setDraft] = useState(() => draftOf(webhook));
  const { id, url, description, format, types, events, cohorts, enabled, ordered } = draft;
  const save = useChange(
    (client, { webhookId, body }: { webhookId: string; body: Definition }) =>
      client.call('putWebhook', { params: { projectId: project.id, webhookId }, body }),
    { refresh: [['listWebhooks', project.id]] },
  );
  const change = (changed: Partial<typeof draft>) => setDraft({ ...draft, ...changed });
  const toggle = (type: WebhookType) => {
    const next = new Set(types);
    if (!next.delete(type)) next.add(type);
    change({ types: next });
  };
  const isComplete = id.trim() !== '' && url !== '' && types.size > 0;
  const hasEvents = !types.has('event') || events.some(({ event }) => event !== '');
  const hasCohorts = !isAboutCohorts(draft) || cohorts.size > 0;
  return (
    <FormDialog
      title={webhook === undefined ? t('Create webhook') : t('Edit webhook')}
      action={webhook === undefined ? t('Create webhook') : t('Save webhook')}
      disabled={!isComplete || !hasEvents || !hasCohorts || save.isPending}
      wide
      onClose={onClose}
      onSubmit={() =>
        save.mutate({ webhookId: id.trim(), body: definitionOf(draft) }, { onSuccess: onSaved })
      }
    >
      {webhook === undefined ? (
        <TextField
          label={t('Id')}
          hint={t('It names the webhook in the API and the audit trail.')}
          value={id}
          required
          maxLength={200}
          onChange={({ target }) => change({ id: target.value })}
        />
      ) : null}
      <TextField
        label="URL"
        type="url"
        value={url}
        required
        maxLength={2048}
        placeholder="https://"
        onChange={({ target }) => change({ url: target.value })}
      />
      <SelectField
        label={t('Format')}
        value={format}
        options={FORMATS.map((value) => ({ value, title: formatWord(value) }))}
        onChange={({ target }) =>
          change({ format: FORMATS.find((one) => one === target.value) ?? 'standard' })
        }
      />
      <TextField
        label={t('Description')}
        value={description}
        maxLength={500}
        onChange={({ target }) => change({ description: target.value })}
      />
      <fieldset className={styles['group']}>
        <legend>{t('Sends')}</legend>
        {TYPES.map((type) => (
          <CheckField
            key={type}
            label={typeWord(type)}
            checked={types.has(type)}
            onChange={() => toggle(type)}
          />
        ))}
      </fieldset>
      {types.has('event') ? <Events events={events} onChange={(next) => change({ events: next })} /> : null}
      {isAboutCohorts(draft) ? (
        <Cohorts chosen={cohorts} onChange={(next) => change({ cohorts: next })} />
      ) : null}
      <CheckField
        label={t('Keep the order')}
        hint={t('A message waits for the one before about the same person, conversation, flag or report.')}
        checked={ordered}
        onChange={({ target }) => change({ ordered: target.checked })}
      />
      <CheckField
        label={t('Enabled')}
        checked={enabled}
        onChange={({ target }) => change({ enabled: target.checked })}
      />
      {save.error === null ? null : <Failed error={save.error} />}
    </FormDialog>
  );
}

interface CohortsProps {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

function Cohorts({ chosen, onChange }: CohortsProps) {
  const known = useCohorts();
  // A cohort that was deleted can be taken away.
  const gone = [...chosen].filter((id) => !known.some(({ value }) => value === id));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChange(next);
  };
  return (
    <fieldset className={styles['group']}>
      <legend>{t('Cohorts')}</legend>
      {known.length === 0 ? <p>{t('No cohort yet.')}</p> : null}
      {[...known, ...gone.map((id) => ({ value: id, title: id }))].map(({ value, title }) => (
        <CheckField key={value} label={title} checked={chosen.has(value)} onChange={() => toggle(value)} />
      ))}
    </fieldset>
  );
}

function Events({ events, onChange }: { events: EventDraft[]; onChange: (events: EventDraft[]) => void }) {
  const names = useEventNames();
  const replace = (at: number, changed: Partial<EventDraft>) =>
    onChange(events.map((one, index) => (index === at ? { ...one, ...changed } : one)));
  return (
    <fieldset className={styles['group']}>
      <legend>{t('Events')}</legend>
      {events.map((one, at) => (
        <div key={at} className={styles['event']}>
          <div className={styles['name']}>
            <Suggested
              label={t('Event')}
              value={one.event}
              suggestions={names}
              onChange={(event) => replace(at, { event })}
            />
            {events.length > 1 ? (
              <IconButton
                icon={Trash2}
                label={t('Remove event')}
                onClick={() => onChange(events.filter((_, index) => index !== at))}
              />
            ) : null}
          </div>
          <Clauses
            event={one.event}
            withCohorts={false}
            clauses={one.where}
            onChange={(where) => replace(at, { where })}
          />
        </div>
      ))}
      <div>
        <Button icon={Plus} onClick={() => onChange([...events, emptyEvent()])}>
          {t('Add event')}
        </Button>
      </div>
    </fieldset>
  );
}
