import type { Input, Result } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { locale, t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { showToast } from '../../app/toasts.ts';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { CheckField, SelectField, TextField } from '../../components/field.tsx';
import { PageLayout, Section } from '../../components/layout.tsx';
import { Failed, Loaded } from '../../components/state.tsx';
import { usePush } from '../../notifications/use-push.ts';
import { useSupportSettings } from '../inbox/settings.ts';
import { languageName } from '../messenger/draft.ts';
import styles from './preferences.module.css';

type Preferences = Result<'getInboxPreferences'>;
type Desktop = Input<'putInboxPreferences'>['body']['desktop'];

const DESKTOP: readonly Desktop[] = ['off', 'mine', 'all'];
const LANGUAGES: readonly NonNullable<Preferences['language']>[] = [
  'en',
  'de',
  'fr',
  'es',
  'pt',
  'it',
  'nl',
  'pl',
  'ja',
];
const PROJECT_LANGUAGE = 'project';
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
      <div className={styles['form']}>
        <ForEveryone />
      </div>
    </PageLayout>
  );
}

function Own({ stored }: { stored: Preferences }) {
  const { project } = usePlace();
  const params = { projectId: project.id };
  const { settings } = useSupportSettings();
  const [preferences, setPreferences] = useState(stored);
  const [isBlocked, setBlocked] = useState(false);
  const push = usePush();
  const [pushError, setPushError] = useState<Error>();
  const save = useChange(
    (client, body: Preferences) => client.call('putInboxPreferences', { params, body }),
    { refresh: [['getInboxPreferences', project.id]] },
  );
  const change = (changed: Partial<Preferences>) => setPreferences({ ...preferences, ...changed });
  const { desktop, pushText, mailDigest, digestAfterMinutes, teamIds, quietHours, timezone, language } =
    preferences;
  const names: Record<Desktop, string> = {
    off: t('Off'),
    mine: t('My conversations, and those of no one'),
    all: t('All conversations'),
  };

  async function switchPush(isOn: boolean): Promise<void> {
    setPushError(undefined);
    try {
      if (!isOn) return await push.turnOff();
      setBlocked(!(await push.turnOn()));
    } catch (error) {
      setPushError(error instanceof Error ? error : new Error(String(error)));
    }
  }

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
          hint={t('Shown while the console is open in a tab.')}
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
        {desktop === 'off' || !push.isPossible ? null : (
          <>
            <CheckField
              label={t('Also notify this browser while the console is closed')}
              hint={t('By the push service of the browser. Applies at once.')}
              checked={push.isOn}
              onChange={({ target }) => void switchPush(target.checked)}
            />
            <CheckField
              label={t('Show the text of turns in these notifications')}
              checked={pushText}
              onChange={({ target }) => change({ pushText: target.checked })}
            />
            {pushError === undefined ? null : <Failed error={pushError} />}
          </>
        )}
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
        {mailDigest || push.isOn ? (
          <SelectField
            label={t('Language of mails and notifications')}
            value={language ?? PROJECT_LANGUAGE}
            options={[
              { value: PROJECT_LANGUAGE, title: t('Language of the project') },
              ...LANGUAGES.map((value) => ({ value, title: languageName(value, locale()) })),
            ]}
            onChange={({ target }) =>
              change({ language: LANGUAGES.find((one) => one === target.value) ?? null })
            }
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

const MINUTES = [1, 5, 10, 30, 60, 240, 1440];
const DAYS = [0, 1, 7, 14, 30, 90, 365];
/** The value of an option without a number. */
const NONE = 'none';

/** Returns the options of a choice of numbers, which include the stored one. */
const numbersOf = (numbers: readonly number[], stored: number | null) =>
  [...new Set([...numbers, ...(stored === null ? [] : [stored])])].sort((one, other) => one - other);

const toNumber = (value: string) => (value === NONE ? null : Number(value));

/** Settings of support that apply to all conversations of the project. */
function ForEveryone() {
  const { may, pathOf } = usePlace();
  const { settings, set, error } = useSupportSettings();
  if (settings === undefined || !may('conversations.reply')) return null;
  const { mailAfterMinutes, keepAssigneeDays, mailOpensConversations, mailAddress } = settings;
  return (
    <Section title={t('For everyone in the project')}>
      <SelectField
        label={t('Mail replies that a visitor has not read')}
        hint={t('To the address that the visitor gave. Their answer becomes a turn.')}
        value={mailAfterMinutes ?? NONE}
        onChange={({ target }) => set({ mailAfterMinutes: toNumber(target.value) })}
        options={[
          { value: NONE, title: t('Never') },
          ...numbersOf(MINUTES, mailAfterMinutes).map((minutes) => ({
            value: String(minutes),
            title: t('{minutes, plural, one {After # minute} other {After # minutes}}', { minutes }),
          })),
        ]}
      />
      <CheckField
        label={t('Open conversations for mail to your support address')}
        hint={mailHint(mailOpensConversations, mailAddress)}
        checked={mailOpensConversations}
        onChange={({ target }) => set({ mailOpensConversations: target.checked })}
      />
      <SelectField
        label={t('A reopened conversation keeps its assignee')}
        value={keepAssigneeDays ?? NONE}
        onChange={({ target }) => set({ keepAssigneeDays: toNumber(target.value) })}
        options={[
          { value: NONE, title: t('Always') },
          ...numbersOf(DAYS, keepAssigneeDays).map((days) => ({
            value: String(days),
            title:
              days === 0
                ? t('Never')
                : t(
                    '{days, plural, one {For # day after it was resolved} other {For # days after it was resolved}}',
                    {
                      days,
                    },
                  ),
          })),
        ]}
      />
      <CheckField
        label={t('Ask visitors to rate resolved conversations')}
        hint={t('From 1 to 5, with a comment. Visitors can change a rating for a day.')}
        checked={settings.asksSatisfaction}
        onChange={({ target }) => set({ asksSatisfaction: target.checked })}
      />
      {may('messenger.read') ? (
        <p>
          <Link to={pathOf('/settings/messenger')} search={{ view: 'rating' }}>
            {t('Preview the question')}
          </Link>
        </p>
      ) : null}
      {error === null ? null : <Failed error={error} />}
    </Section>
  );
}

function mailHint(isOn: boolean, address: string | null): string {
  if (!isOn) return t('Forward your support address to the address that appears here.');
  return address === null
    ? t('This deployment receives no mail. Its operator sets SUPPORT_MAIL_DOMAIN and SUPPORT_MAIL_PORT.')
    : t('Forward your support address to {address}.', { address });
}
