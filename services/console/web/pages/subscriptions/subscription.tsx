import { useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Bar, Facts } from '../../components/layout.tsx';
import { Failed, Partial } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { useColleagues } from '../threads/members.ts';
import { search } from './search.ts';
import { CHATS, pauseWord, type Subscription, SubscriptionState, scheduleWord } from './words.tsx';

/** A subscription with its state. Those who may change it pause, send, edit and delete it. */
export function SubscriptionDetail({ subscription }: { subscription: Subscription }) {
  const { project, may } = usePlace();
  const [, setSearch] = usePageSearch(search);
  const [isDeleting, setIsDeleting] = useState(false);
  const names = new Map(useColleagues().map(({ sub, name }) => [sub, name]));
  const params = { projectId: project.id, subscriptionId: subscription.id };
  const refresh = [['listSubscriptions', project.id]];
  const { target, schedule, recipients, channels, enabled, nextAt, lastSentAt, failure } = subscription;
  const enable = useChange(
    (client, isOn: boolean) =>
      client.call('putSubscription', {
        params,
        body: { target, schedule, recipients: recipients.map(({ sub }) => sub), enabled: isOn },
      }),
    { refresh },
  );
  const send = useChange((client, _: undefined) => client.call('sendSubscription', { params }), { refresh });
  const remove = useChange((client, _: undefined) => client.call('deleteSubscription', { params }), {
    refresh,
  });
  const error = enable.error ?? send.error ?? remove.error;
  const paused = pauseWord(subscription);
  const nameOf = ({ sub, unsubscribed }: Subscription['recipients'][number]) =>
    unsubscribed ? t('{name} (unsubscribed)', { name: names.get(sub) ?? sub }) : (names.get(sub) ?? sub);
  const channelOf = ({ kind, url }: Subscription['channels'][number]) => `${CHATS[kind]} ${url}`;
  return (
    <>
      {error === null ? null : <Failed error={error} />}
      {paused === undefined ? null : <Partial text={paused} />}
      {failure === null ? null : <Partial text={failure.message} />}
      <Facts
        facts={[
          [t('State'), <SubscriptionState key="state" subscription={subscription} />],
          [t('Schedule'), scheduleWord(schedule)],
          [t('Next'), nextAt === null ? '–' : <Time key="next" at={nextAt} />],
          [t('Last sent'), lastSentAt === null ? '–' : <Time key="last" at={lastSentAt} />],
          [t('Recipients'), recipients.length === 0 ? '–' : recipients.map(nameOf).join(', ')],
          [t('Chat channels'), channels.length === 0 ? '–' : channels.map(channelOf).join(', ')],
        ]}
      />
      {may('subscriptions.write') ? (
        <Bar>
          <Button keys="e" onClick={() => setSearch({ edit: 'open' })}>
            {t('Edit subscription')}
          </Button>
          <Button
            keys="t"
            disabled={send.isPending || subscription.isSending}
            onClick={() => send.mutate(undefined)}
          >
            {t('Send now')}
          </Button>
          <Button keys="p" disabled={enable.isPending} onClick={() => enable.mutate(!enabled)}>
            {enabled ? t('Pause') : t('Resume')}
          </Button>
          <Button keys="d" kind="danger" onClick={() => setIsDeleting(true)}>
            {t('Delete subscription')}
          </Button>
        </Bar>
      ) : null}
      {isDeleting ? (
        <Confirm
          title={t('Delete this subscription?')}
          action={t('Delete subscription')}
          onClose={() => setIsDeleting(false)}
          onConfirm={() => {
            remove.mutate(undefined, { onSuccess: () => setSearch({ open: undefined }) });
            setIsDeleting(false);
          }}
        >
          <p>{t('Its recipients and channels get nothing more.')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
