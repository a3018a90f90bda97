import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Facts } from '../../components/layout.tsx';
import { Failed } from '../../components/state.tsx';
import { Count, Time } from '../../components/values.tsx';
import { Messages } from './messages.tsx';
import { search } from './search.ts';
import styles from './webhooks.module.css';
import { formatWord, typeWord, Watched, type Webhook, WebhookState } from './words.tsx';

interface WebhookDetailProps {
  webhook: Webhook;
  /** Gets the new secret, which the API returns once. */
  onSecret: (secret: string) => void;
}

/** A webhook with its messages. Those who may change it edit, test, rotate and delete it. */
export function WebhookDetail({ webhook, onSecret }: WebhookDetailProps) {
  const { project, may } = usePlace();
  const [, setSearch] = usePageSearch(search);
  const [asked, setAsked] = useState<'rotate' | 'delete'>();
  const params = { projectId: project.id, webhookId: webhook.id };
  const refresh = [['listWebhooks', project.id]];
  const test = useChange((client, _: undefined) => client.call('testWebhook', { params }), {
    refresh: [...refresh, ['listWebhookMessages', project.id, webhook.id]],
  });
  const rotate = useChange((client, _: undefined) => client.call('rotateWebhookSecret', { params }), {
    refresh,
  });
  const remove = useChange((client, _: undefined) => client.call('deleteWebhook', { params }), { refresh });
  const close = () => setAsked(undefined);
  const failures = [test.error, rotate.error, remove.error].filter((error) => error !== null);
  return (
    <>
      {failures.map((error) => (
        <Failed key={error.message} error={error} />
      ))}
      {webhook.description === '' ? null : <p>{webhook.description}</p>}
      <Facts
        facts={[
          [
            'URL',
            <code key="url" className={styles['url']}>
              {webhook.url}
            </code>,
          ],
          [t('Format'), formatWord(webhook.format)],
          [t('State'), <WebhookState key="state" webhook={webhook} />],
          [t('Sends'), webhook.types.map(typeWord).join(', ')],
          ...(webhook.events.length === 0
            ? []
            : [[t('Events'), webhook.events.map(({ event }) => event).join(', ')] as const]),
          ...(webhook.watched.length === 0
            ? []
            : [[t('Cohorts'), <Watched key="watched" webhook={webhook} />] as const]),
          [
            t('Order'),
            webhook.ordered
              ? t('one after the other for each person, conversation, flag or report')
              : t('any'),
          ],
          ...(webhook.failingSince === null
            ? []
            : [[t('Failing since'), <Time key="failing" at={webhook.failingSince} />] as const]),
          [t('Waiting'), <Count key="waiting" value={webhook.waiting} />],
          ...(webhook.discarded === 0
            ? []
            : [[t('Discarded'), <Count key="discarded" value={webhook.discarded} />] as const]),
          ...(webhook.previousSecretUntil === null
            ? []
            : [
                [
                  t('Previous secret signs until'),
                  <Time key="previous" at={webhook.previousSecretUntil} />,
                ] as const,
              ]),
        ]}
      />
      {may('webhooks.write') ? (
        <div className={styles['actions']}>
          <Button keys="e" onClick={() => setSearch({ edit: 'open' })}>
            {t('Edit webhook')}
          </Button>
          <Button
            keys="t"
            disabled={!webhook.enabled || test.isPending}
            onClick={() => test.mutate(undefined)}
          >
            {t('Send test')}
          </Button>
          <Button keys="o" onClick={() => setAsked('rotate')}>
            {t('Rotate secret')}
          </Button>
          <Button keys="d" kind="danger" onClick={() => setAsked('delete')}>
            {t('Delete webhook')}
          </Button>
        </div>
      ) : null}
      <Messages webhook={webhook} />
      {asked === 'rotate' ? (
        <Confirm
          title={t('Rotate the secret?')}
          action={t('Rotate secret')}
          onClose={close}
          onConfirm={() => {
            rotate.mutate(undefined, { onSuccess: ({ secret }) => onSecret(secret) });
            close();
          }}
        >
          <p>{t('For 24 hours, messages are signed with both secrets.')}</p>
        </Confirm>
      ) : null}
      {asked === 'delete' ? (
        <Confirm
          title={t('Delete this webhook?')}
          action={t('Delete webhook')}
          onClose={close}
          onConfirm={() => {
            remove.mutate(undefined);
            close();
          }}
        >
          <p>{t('Its messages are deleted, and those that wait are not sent.')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
