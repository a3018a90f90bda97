import type { Result } from '@switchboard/management';
import { useCall, useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Button } from '../../components/button.tsx';
import { Code, Id } from '../../components/code.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Bar, Facts, Section } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { duration, Time } from '../../components/values.tsx';
import { STATES, search } from './search.ts';
import styles from './webhooks.module.css';
import { type Message, MessageState, stateWord, typeWord, type Webhook } from './words.tsx';

type MessageLog = Result<'getWebhookMessage'>;

/** The messages of the last days. One of them is open with its body and attempts. */
export function Messages({ webhook }: { webhook: Webhook }) {
  const { project } = usePlace();
  const [{ message, state }, setSearch] = usePageSearch(search);
  const params = { projectId: project.id, webhookId: webhook.id };
  const { query, more } = useList(
    ['listWebhookMessages', project.id, webhook.id, state],
    async (client, cursor, options) => {
      const filter = state === undefined ? {} : { state };
      const { messages, nextCursor } = await client.call(
        'listWebhookMessages',
        { params, query: { ...cursor, ...filter } },
        options,
      );
      return { items: messages, nextCursor };
    },
    { refreshMs: 5_000 },
  );
  if (message !== undefined) return <OpenMessage key={message} webhook={webhook} id={message} />;
  return (
    <Section title={t('Messages')}>
      <Bar>
        <SelectFilter
          label={t('All states')}
          value={state}
          options={STATES.map((one) => ({ value: one, title: stateWord(one) }))}
          onChange={(value) => setSearch({ state: STATES.find((one) => one === value) })}
        />
      </Bar>
      <Loaded query={query}>
        {(messages) =>
          messages.length === 0 ? (
            <Empty text={t('No message in the last seven days.')} />
          ) : (
            <div className={styles['log']}>
              <Table
                label={t('Messages')}
                columns={columns()}
                rows={messages}
                keyOf={({ id }) => id}
                onOpen={({ id }) => setSearch({ message: id }, { push: true })}
                more={more}
              />
            </div>
          )
        }
      </Loaded>
    </Section>
  );
}

const columns = (): Column<Message>[] => [
  { title: t('Type'), cell: ({ type }) => typeWord(type) },
  { title: t('State'), cell: ({ state }) => <MessageState state={state} />, width: '100px' },
  {
    title: t('Status'),
    cell: ({ lastStatus }) => lastStatus ?? '–',
    width: '72px',
    align: 'end',
    minor: true,
  },
  { title: t('Time'), cell: ({ createdAt }) => <Time at={createdAt} />, width: '102px' },
];

function OpenMessage({ webhook, id }: { webhook: Webhook; id: string }) {
  const { project, may } = usePlace();
  const [, setSearch] = usePageSearch(search);
  const params = { projectId: project.id, webhookId: webhook.id };
  const key = ['getWebhookMessage', project.id, webhook.id, id];
  // Each read is in the audit trail, so it is not read again by itself.
  const query = useCall(key, (client, options) =>
    client.call('getWebhookMessage', { params: { ...params, messageId: id } }, options),
  );
  const replay = useChange(
    (client, _: undefined) => client.call('replayWebhookMessages', { params, body: { messageId: id } }),
    { refresh: [key, ['listWebhookMessages', project.id, webhook.id]] },
  );
  return (
    <Section title={t('Message')}>
      {replay.error === null ? null : <Failed error={replay.error} />}
      <div className={styles['actions']}>
        <Button keys="b" onClick={() => setSearch({ message: undefined })}>
          {t('All messages')}
        </Button>
        {may('webhooks.write') ? (
          <Button
            keys="r"
            disabled={!webhook.enabled || replay.isPending || query.data?.state === 'waiting'}
            onClick={() => replay.mutate(undefined)}
          >
            {t('Send again')}
          </Button>
        ) : null}
      </div>
      <Loaded query={query}>{(found) => <MessageDetail message={found} />}</Loaded>
    </Section>
  );
}

function MessageDetail({ message }: { message: MessageLog }) {
  return (
    <>
      <Facts
        facts={[
          [t('Id'), <Id key="id" value={message.id} name={t('id')} />],
          [t('Type'), typeWord(message.type)],
          [t('State'), <MessageState key="state" state={message.state} />],
          [t('Created'), <Time key="created" at={message.createdAt} />],
          ...(message.nextAttemptAt === null
            ? []
            : [[t('Next attempt'), <Time key="next" at={message.nextAttemptAt} />] as const]),
        ]}
      />
      <Section title={t('Body')}>
        <Code text={pretty(message.body)} name={t('the body')} />
      </Section>
      <Section title={t('Attempts')}>
        {message.log.length === 0 ? <Empty text={t('No attempt yet.')} /> : null}
        {message.log.map((attempt) => (
          <div key={attempt.at} className={styles['attempt']}>
            <p>
              <Time at={attempt.at} /> · {attempt.status ?? attempt.error} · {duration(attempt.durationMs)}
            </p>
            {attempt.response === null || attempt.response === '' ? null : (
              <Code text={attempt.response} name={t('the response')} />
            )}
          </div>
        ))}
      </Section>
    </>
  );
}

const pretty = (body: string): string => JSON.stringify(JSON.parse(body), null, 2);
