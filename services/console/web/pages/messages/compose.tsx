import { useBlocker } from '@tanstack/react-router';
import { useState } from 'react';
import { useCall, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Clauses } from '../../clauses/clauses.tsx';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { NOW, SelectField, TextArea, TextField, timeOf, WhenFields } from '../../components/field.tsx';
import { Bar } from '../../components/layout.tsx';
import { Failed, Loaded } from '../../components/state.tsx';
import { configurationFor } from '../messenger/draft.ts';
import { usePictures } from '../messenger/pictures.ts';
import { Preview } from '../messenger/preview.tsx';
import { useStored } from '../messenger/use-draft.ts';
import { type Audience, isComplete, recipientsOf, useSize } from './audience.ts';
import styles from './messages.module.css';

const MAX_TITLE = 200;
const MAX_BODY = 10_000;

/** The content of a message. */
export interface Content {
  title: string;
  body: string;
}

interface ComposeProps {
  /** The content to begin with. */
  content: Content;
  onSent: (id: string) => void;
  onClose: () => void;
}

/** Writes a message, with the real widget beside it. */
export function Compose({ content: first, onSent, onClose }: ComposeProps) {
  const { project, may } = usePlace();
  const [content, setContent] = useState(first);
  const [audience, setAudience] = useState<Audience>({ kind: 'everyone', cohort: '', clauses: [] });
  const [when, setWhen] = useState(NOW);
  const [isAsked, setAsked] = useState(false);
  const stored = useStored();
  const size = useSize(audience);
  const cohorts = useCall(
    ['listCohorts', project.id],
    (client, options) => client.call('listCohorts', { params: { projectId: project.id } }, options),
    { enabled: may('cohorts.read') },
  );
  const send = useChange(
    async (client, message: Content & { audience: Audience; sendAt: string | undefined }) => {
      const { title, body, sendAt } = message;
      const distinctIds = await recipientsOf(client, project.id, message.audience);
      const { id } = await client.call('sendMessage', {
        params: { projectId: project.id },
        body: { title, body, ...(distinctIds && { distinctIds }), ...(sendAt && { sendAt }) },
      });
      return id;
    },
    { refresh: [['listSentMessages', project.id]] },
  );
  const isDirty = content.title !== first.title || content.body !== first.body;
  const leaving = useBlocker({
    shouldBlockFn: ({ current, next }) => isDirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  });
  const isScheduled = when.isLater;
  const sendAt = timeOf(when);
  const isReady =
    content.title.trim() !== '' &&
    content.body.trim() !== '' &&
    isComplete(audience) &&
    (!isScheduled || sendAt !== undefined);
  const to = sizeWords(audience, size.data);
  return (
    <div className={styles['compose']}>
      <form
        aria-label={t('In-app message')}
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          if (isReady) setAsked(true);
        }}
      >
        <TextField
          label={t('Title')}
          value={content.title}
          required
          maxLength={MAX_TITLE}
          onChange={({ target }) => setContent({ ...content, title: target.value })}
        />
        <TextArea
          label={t('Body')}
          hint={t('Plain text. Links are clickable.')}
          value={content.body}
          required
          rows={6}
          maxLength={MAX_BODY}
          onChange={({ target }) => setContent({ ...content, body: target.value })}
        />
        <div className={styles['row']}>
          <SelectField
            label={t('To')}
            value={audience.kind}
            options={[
              { value: 'everyone', title: t('Everyone') },
              ...(may('people.read')
                ? [
                    { value: 'cohort', title: t('A cohort') },
                    { value: 'matching', title: t('People who match') },
                  ]
                : []),
            ]}
            onChange={({ target }) =>
              setAudience({
                ...audience,
                kind: (['cohort', 'matching'] as const).find((one) => one === target.value) ?? 'everyone',
              })
            }
          />
          {audience.kind === 'cohort' ? (
            <SelectField
              label={t('Cohort')}
              value={audience.cohort}
              required
              options={[
                { value: '', title: t('Choose a cohort') },
                ...(cohorts.data?.cohorts ?? []).map(({ id, name }) => ({ value: id, title: name })),
              ]}
              onChange={({ target }) => setAudience({ ...audience, cohort: target.value })}
            />
          ) : null}
        </div>
        {audience.kind === 'matching' ? (
          <Clauses
            event={undefined}
            withCohorts
            clauses={audience.clauses}
            onChange={(clauses) => setAudience({ ...audience, clauses })}
          />
        ) : null}
        {audience.kind === 'everyone' ? null : (
          <div role="status" aria-label={t('Size')} className={styles['note']}>
            {size.error === null ? to : <Failed error={size.error} />}
          </div>
        )}
        <div className={styles['row']}>
          <WhenFields
            when={when}
            timeLabel={t('Time in {zone}', { zone: Intl.DateTimeFormat().resolvedOptions().timeZone })}
            onChange={setWhen}
          />
        </div>
        {isScheduled && audience.kind !== 'everyone' ? (
          <p className={styles['note']}>
            {t('It goes to the people who are in the audience when you schedule it.')}
          </p>
        ) : null}
        {send.error === null ? null : <Failed error={send.error} />}
        <Bar>
          <Button type="submit" kind="primary" disabled={!isReady || send.isPending}>
            {send.isPending ? t('Sending…') : isScheduled ? t('Schedule message') : t('Send message')}
          </Button>
          <Button onClick={onClose}>{t('Cancel')}</Button>
        </Bar>
      </form>
      <Loaded query={stored}>{(found) => <MessagePreview stored={found} content={content} />}</Loaded>
      {leaving.status === 'blocked' ? (
        <Confirm
          title={t('Leave without sending?')}
          action={t('Discard message')}
          onConfirm={leaving.proceed}
          onClose={leaving.reset}
        >
          <p>{t('The message is not sent, and its text is not kept.')}</p>
        </Confirm>
      ) : null}
      {isAsked ? (
        <Confirm
          title={isScheduled ? t('Schedule this message?') : t('Send this message?')}
          action={isScheduled ? t('Schedule message') : t('Send message')}
          onClose={() => setAsked(false)}
          onConfirm={() => {
            setAsked(false);
            send.mutate({ ...content, audience, sendAt }, { onSuccess: onSent });
          }}
        >
          <p>
            {audience.kind === 'everyone'
              ? t('It goes to everyone who opens a page with the messenger.')
              : to}{' '}
            {isScheduled ? t('You can cancel it until then.') : t('A sent message stays in the inboxes.')}
          </p>
        </Confirm>
      ) : null}
    </div>
  );
}

function sizeWords({ kind }: Audience, found: { ids: string[]; isAll: boolean } | undefined): string {
  if (kind === 'everyone') return t('Everyone');
  if (found === undefined) return t('Choose the people.');
  const count = found.ids.length;
  if (!found.isAll) return t('At least {count} people.', { count });
  return t('{count, plural, one {# person.} other {# people.}}', { count });
}

function MessagePreview({
  stored,
  content,
}: {
  stored: NonNullable<ReturnType<typeof useStored>['data']>;
  content: Content;
}) {
  const { project } = usePlace();
  const pictures = usePictures(stored);
  const language = project.defaultLanguage;
  return (
    <Preview
      shown={{
        configuration: configurationFor(stored.settings, language, language),
        locale: language,
        message: { title: content.title || t('Title'), body: content.body || t('Body') },
        pictures,
      }}
      views={['message', 'home', 'closed']}
    />
  );
}
