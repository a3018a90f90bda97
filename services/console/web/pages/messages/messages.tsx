import type { Result } from '@switchboard/management';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useChange, useList } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { Button } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Bar, Facts, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded } from '../../components/state.tsx';
import { type Column, Table } from '../../components/table.tsx';
import { Count, percent } from '../../components/values.tsx';
import { Compose, type Content } from './compose.tsx';
import styles from './messages.module.css';
import { NEW, search } from './search.ts';
import { When } from './when.tsx';

type Message = Result<'listSentMessages'>['messages'][number];

const REFRESH_MS = 30_000;
/** Reads are counted up to this number. */
const MAX_READS = 10_000;

/** The in-app messages of the project: written, scheduled and sent, with how many people read them. */
export function Page() {
  const { project } = usePlace();
  const [{ open }, setSearch] = usePageSearch(search);
  const [content, setContent] = useState<Content>({ title: '', body: '' });
  const { query, more } = useList(
    ['listSentMessages', project.id],
    async (client, cursor, options) => {
      const page = await client.call(
        'listSentMessages',
        { params: { projectId: project.id }, query: cursor },
        options,
      );
      return { items: page.messages, nextCursor: page.nextCursor };
    },
    { refreshMs: REFRESH_MS },
  );
  const write = (given: Content) => {
    setContent(given);
    setSearch({ open: NEW }, { push: true });
  };
  const writeNew = () => write({ title: '', body: '' });
  const close = () => setSearch({ open: undefined });
  if (open === NEW)
    return (
      <PageLayout title={t('Write message')}>
        <Compose content={content} onSent={(id) => setSearch({ open: id })} onClose={close} />
      </PageLayout>
    );
  const columns: Column<Message>[] = [
    { title: t('Title'), cell: ({ title }) => title },
    {
      title: t('State'),
      cell: ({ isScheduled }) =>
        isScheduled ? <Badge tone="warning">{t('Scheduled')}</Badge> : <Badge>{t('Sent')}</Badge>,
      width: '110px',
    },
    { title: t('Sent to'), cell: (message) => recipientsWords(message), width: '120px', minor: 'early' },
    { title: t('Read'), cell: (message) => <Reads message={message} />, width: '120px', align: 'end' },
    { title: t('Time'), cell: ({ createdAt }) => <When at={createdAt} />, width: '140px', minor: 'early' },
  ];
  const shown = query.data?.find(({ id }) => id === open);
  return (
    <PageLayout
      title={t('Messages')}
      actions={
        <>
          <CopyAs
            call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/messages` }}
            command={`switchboard messages list ${project.id}`}
          />
          <Button keys="c" kind="primary" icon={Plus} onClick={writeNew}>
            {t('Write message')}
          </Button>
        </>
      }
    >
      <Loaded query={query}>
        {(messages) => (
          <ListDetail
            list={
              messages.length === 0 ? (
                <Empty text={t('No in-app message was sent yet.')}>
                  <Button keys="c" onClick={writeNew}>
                    {t('Write message')}
                  </Button>
                </Empty>
              ) : (
                <Table
                  label={t('In-app messages')}
                  columns={columns}
                  rows={messages}
                  keyOf={({ id }) => id}
                  open={open}
                  onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                  more={more}
                />
              )
            }
            detail={
              shown && {
                title: shown.title,
                content: <MessageDetail message={shown} onAgain={write} onCancelled={close} />,
                onClose: close,
              }
            }
          />
        )}
      </Loaded>
    </PageLayout>
  );
}

function recipientsWords({ recipients, toEveryone }: Message): string {
  if (toEveryone) return t('everyone');
  return recipients === null
    ? t('some people')
    : t('{count, plural, one {# person} other {# people}}', { count: recipients });
}

/** How many read a message, and which share of those whom it was sent to. */
function Reads({ message: { reads, recipients, isScheduled } }: { message: Message }) {
  if (isScheduled) return '–';
  return (
    <>
      <Count value={reads} />
      {reads >= MAX_READS ? '+' : ''}
      {recipients === null || recipients === 0 ? null : ` · ${percent(Math.min(1, reads / recipients))}`}
    </>
  );
}

interface DetailProps {
  message: Message;
  onAgain: (content: Content) => void;
  onCancelled: () => void;
}

function MessageDetail({ message, onAgain, onCancelled }: DetailProps) {
  const { project } = usePlace();
  const { id, title, body, createdAt, isScheduled } = message;
  const [isAsked, setAsked] = useState(false);
  const cancel = useChange(
    (client, _: undefined) => client.call('cancelMessage', { params: { projectId: project.id, id } }),
    { refresh: [['listSentMessages', project.id]] },
  );
  return (
    <>
      <p className={styles['body']} dir="auto">
        {body}
      </p>
      <Facts
        facts={[
          [isScheduled ? t('Sent to, from then on') : t('Sent to'), recipientsWords(message)],
          [isScheduled ? t('Scheduled for') : t('Sent'), <When key="at" at={createdAt} />],
          [t('Read by'), <Reads key="reads" message={message} />],
        ]}
      />
      {cancel.error === null ? null : <Failed error={cancel.error} />}
      <Bar>
        <Button keys="r" onClick={() => onAgain({ title, body })}>
          {t('Write it again')}
        </Button>
        {isScheduled ? (
          <Button keys="d" kind="danger" onClick={() => setAsked(true)}>
            {t('Cancel message')}
          </Button>
        ) : null}
      </Bar>
      {isAsked ? (
        <Confirm
          title={t('Cancel this message?')}
          action={t('Cancel message')}
          onClose={() => setAsked(false)}
          onConfirm={() => {
            setAsked(false);
            cancel.mutate(undefined, { onSuccess: onCancelled });
          }}
        >
          <p>{t('It is not sent, and it is removed here.')}</p>
        </Confirm>
      ) : null}
    </>
  );
}
