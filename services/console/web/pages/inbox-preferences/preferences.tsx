import type { Input, Result } from '@switchboard/management';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { showToast } from '../../app/toasts.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { PageLayout, Section } from '../../components/layout.tsx';
import { Failed, Loaded } from '../../components/state.tsx';
import { useSupportSettings } from '../inbox/settings.ts';
import styles from './preferences.module.css';

type Preferences = Result<'getInboxPreferences'>;
type Desktop = Input<'putInboxPreferences'>['body']['desktop'];

const DESKTOP: readonly Desktop[] = ['off', 'mine', 'all'];
const NIGHT = { from: '20:00', to: '08:00' };

/** How the member hears of conversations that wait, and what visitors of the project are asked. */
export function Page() {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const stored = useCall(['getInboxPreferences', project.id], (client, options) =>
    client.call('getInboxPreferences', { params }, options),
  );
  return (
    <PageLayout
      title={t('Inbox preferences')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/inbox-preferences` }}
        />
      }
    >
      <Loaded query={stored}>{(preferences) => <Own stored={preferences} />}</Loaded>
      <Ratings />
    </PageLayout>
  );
}

function Own({ stored }: { stored: Preferences }) {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const { settings } = useSupportSettings();
  const [preferences, setPreferences] = useState(stored);
  const [isBlocked, setBlocked] = useState(false);
  const save = useChange(
    (client, body: Preferences) => client.call('putInboxPreferences', { params, body }),
    { refresh: [['getInboxPreferences', project.id]] },
  );
  const change = (changed: Partial<Preferences>) => setPreferences({ ...preferences, ...changed });
  const { desktop, mailDigest, digestAfterMinutes, teamIds, quietHours, timezone } = preferences;
  const names: Record<Desktop, string> = {
    off: t('Off'),
    mine: t('My conversations, and those of no one'),
    all: t('All conversations'),
  };

  async function submit(): Promise<void> {
    if (desktop !== 'off' && 'Notification' in window)
      setBlocked((await Notification.requestPermission()) !== 'granted');
    save.mutate(preferences, { onSuccess: () => showToast({ text: t('Preferences saved.') }) });
  }

  return (
    <form
      className={styles['form']}
      aria-label={t('Your notifications')}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Section title={t('Your notifications')}>
        <SelectField
          label={t('Desktop notifications')}
          hint={t('Shown while the inbox is open in a tab.')}
          value={desktop}
          options={DESKTOP.map((value) => ({ value, title: names[value] }))}
          onChange={({ target }) => {
            const chosen = DESKTOP.find((one) => one === target.value);
            if (chosen !== undefined) change({ desktop: chosen });
          }}
        />
        {isBlocked ? (
          <p role="alert">
            {t('The browser blocks notifications of this page. Allow them in its settings.')}
          </p>
        ) : null}
        <CheckField
          label={t('Mail me what waits for me')}
          hint={t('At most once an hour. You can answer by email.')}
          checked={mailDigest}
          onChange={({ target }) => change({ mailDigest: target.checked })}
        />
        {mailDigest ? (
          <TextField
            label={t('Minutes that a conversation waits first')}
            type="number"
            min={5}
            max={1440}
            required
            value={digestAfterMinutes}
            onChange={({ target }) => change({ digestAfterMinutes: target.valueAsNumber || 5 })}
          />
        ) : null}
        {(settings?.teams ?? []).length === 0 ? null : (
          <fieldset className={styles['teams']}>
            <legend>{t('Your teams')}</legend>
            {settings?.teams.map(({ id, name }) => (
              <CheckField
                key={id}
                label={name}
                checked={teamIds.includes(id)}
                onChange={({ target }) =>
                  change({
                    teamIds: target.checked ? [...teamIds, id] : teamIds.filter((one) => one !== id),
                  })
                }
              />
            ))}
          </fieldset>
        )}
        <CheckField
          label={t('Quiet hours')}
          checked={quietHours !== null}
          onChange={({ target }) =>
            change(
              target.checked
                ? { quietHours: NIGHT, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone }
                : { quietHours: null },
            )
          }
        />
        {quietHours === null ? null : (
          <div className={styles['hours']}>
            <TextField
              label={t('From')}
              type="time"
              required
              value={quietHours.from}
              onChange={({ target }) => change({ quietHours: { ...quietHours, from: target.value } })}
            />
            <TextField
              label={t('To')}
              type="time"
              required
              value={quietHours.to}
              onChange={({ target }) => change({ quietHours: { ...quietHours, to: target.value } })}
            />
            <TextField
              label={t('Time zone')}
              required
              value={timezone}
              onChange={({ target }) => change({ timezone: target.value })}
            />
          </div>
        )}
        {save.error === null ? null : <Failed error={save.error} />}
        <div>
          <Button type="submit" kind="primary" disabled={save.isPending}>
            {t('Save preferences')}
          </Button>
        </div>
      </Section>
    </form>
  );
}

/** The setting of the project that asks visitors for ratings. */
function Ratings() {
  const { settings, change, error } = useSupportSettings();
  if (settings === undefined) return null;
  return (
    <Section title={t('For everyone in the project')}>
      <CheckField
        label={t('Ask visitors to rate resolved conversations')}
        hint={t('From 1 to 5, with a comment. Visitors can change a rating for a day.')}
        checked={settings.asksSatisfaction}
        onChange={({ target }) => {
          const asksSatisfaction = target.checked;
          change((current) => ({ ...current, asksSatisfaction }));
        }}
      />
      {error === null ? null : <Failed error={error} />}
    </Section>
  );
}
