import type { Result } from '@switchboard/management';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useRef } from 'react';
import { queries, useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { useKeys } from '../../app/keys.ts';
import { usePlace } from '../../app/project.ts';
import { usePageSearch } from '../../app/search.ts';
import { Badge } from '../../components/badge.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { SelectFilter } from '../../components/field.tsx';
import { Bar, ListDetail, PageLayout } from '../../components/layout.tsx';
import { Empty, Failed, Loaded, NextStep } from '../../components/state.tsx';
import { Table } from '../../components/table.tsx';
import { Time } from '../../components/values.tsx';
import { titleOfAnchor } from './anchors.ts';
import { SHOWN, search } from './search.ts';
import { ThreadView } from './thread.tsx';
import styles from './threads.module.css';
import { useInbox } from './use-inbox.ts';
import { useReportThreads } from './use-report-threads.ts';

type Summary = Result<'listThreadInbox'>['threads'][number];

const isShown: Record<(typeof SHOWN)[number], (one: Summary) => boolean> = {
  unread: ({ unread }) => unread,
  mentions: ({ concern }) => concern === 'mention',
  open: ({ resolved }) => !resolved,
  resolved: ({ resolved }) => resolved,
};

/** The threads that concern the person: mentions, and replies where they have written. */
export function Page() {
  const { project, may } = usePlace();
  const inbox = useInbox();
  const [{ show, open }, setSearch] = usePageSearch(search);
  const all = inbox.data?.threads;
  const threads = (all ?? []).filter((one) => show === undefined || isShown[show](one));
  const opened = all?.find(({ id }) => id === open);
  const resolve = useChange(
    (client, { id, resolved }: Summary) =>
      client.call(resolved ? 'reopenThread' : 'resolveThread', {
        params: { projectId: project.id, threadId: id },
      }),
    {
      refresh: [
        ['listThreadInbox', project.id],
        ['listThreads', project.id],
      ],
    },
  );
  const mayResolve = may('comments.write');
  const current = useRef({ threads, opened, resolve });
  current.current = { threads, opened, resolve };
  useKeys(
    useMemo(
      () =>
        mayResolve
          ? [
              {
                keys: 'e',
                title: t('Resolve or reopen the thread'),
                run() {
                  const row = document.activeElement?.closest('[data-row]')?.getAttribute('data-row');
                  const { threads: listed, opened: one, resolve: change } = current.current;
                  const chosen = row == null ? one : listed[Number(row)];
                  if (chosen !== undefined) change.mutate(chosen);
                },
              },
            ]
          : [],
      [mayResolve],
    ),
  );
  return (
    <PageLayout
      title={t('Threads')}
      actions={
        <CopyAs
          call={{ method: 'GET', path: `/v1/projects/${encodeURIComponent(project.id)}/comment-threads` }}
        />
      }
    >
      {resolve.error === null ? null : <Failed error={resolve.error} />}
      <ListDetail
        list={
          <div className={styles['inbox']}>
            <Bar>
              <SelectFilter
                label={t('All threads')}
                value={show}
                options={[
                  { value: 'unread', title: t('Unread') },
                  { value: 'mentions', title: t('Mentions of me') },
                  { value: 'open', title: t('Not resolved') },
                  { value: 'resolved', title: t('Resolved') },
                ]}
                onChange={(value) => setSearch({ show: SHOWN.find((one) => one === value) })}
              />
            </Bar>
            <Loaded query={inbox}>
              {({ threads: found }) =>
                found.length === 0 ? (
                  <Empty
                    text={t(
                      'No thread concerns you. Mentions of you, and replies where you have written, appear here.',
                    )}
                  >
                    <NextStep
                      page="/insights"
                      title={t('Open a report to comment on it')}
                      permission="insights.read"
                    />
                  </Empty>
                ) : threads.length === 0 ? (
                  <Empty text={t('No thread matches the filter.')} />
                ) : (
                  <Table
                    label={t('Threads')}
                    columns={columns()}
                    rows={threads}
                    keyOf={({ id }) => id}
                    open={open}
                    onOpen={({ id }) => setSearch({ open: id }, { push: true })}
                  />
                )
              }
            </Loaded>
          </div>
        }
        detail={
          opened && {
            title: opened.reportName,
            content: <Opened key={opened.id} summary={opened} />,
            onClose: () => setSearch({ open: undefined }),
          }
        }
      />
    </PageLayout>
  );
}

const columns = () => [
  {
    title: t('Last comment'),
    cell: ({ unread, last }: Summary) => (
      <span className={unread ? styles['unread'] : undefined}>
        {unread ? <span className={styles['dot']} role="img" aria-label={t('Unread')} /> : null}
        {last.authorName ?? t('A former colleague')}: {last.text}
      </span>
    ),
  },
  {
    title: t('Report'),
    cell: ({ reportName, anchor }: Summary) =>
      anchor === null ? reportName : `${reportName} · ${titleOfAnchor(anchor)}`,
    width: '30%',
    minor: true,
  },
  {
    title: t('State'),
    cell: ({ resolved, concern }: Summary) =>
      resolved ? (
        <Badge tone="good">{t('Resolved')}</Badge>
      ) : (
        <Badge>{concern === 'mention' ? t('Mention') : t('Reply')}</Badge>
      ),
    width: '96px',
  },
  { title: t('When'), cell: ({ last }: Summary) => <Time at={last.createdAt} />, width: '104px' },
];

/** A thread of the inbox. Reading the threads of its report marks them as read. */
function Opened({ summary: { id, reportId, anchor } }: { summary: Summary }) {
  const { project, pathOf } = usePlace();
  const query = useReportThreads(reportId);
  const isRead = query.isFetchedAfterMount;
  useEffect(() => {
    if (isRead) void queries.invalidateQueries({ queryKey: ['listThreadInbox', project.id] });
  }, [isRead, project.id]);
  return (
    <>
      <div>
        <p>{titleOfAnchor(anchor)}</p>
        <p>
          <Link to={pathOf(`/reports/${encodeURIComponent(reportId)}`)}>{t('Open the report')}</Link>
        </p>
      </div>
      <Loaded query={query}>
        {({ threads }) => {
          const thread = threads.find((one) => one.id === id);
          if (thread === undefined) return <Empty text={t('The thread was deleted.')} />;
          return (
            <ThreadView
              thread={thread}
              refresh={[
                ['listThreads', project.id, reportId],
                ['listThreadInbox', project.id],
              ]}
            />
          );
        }}
      </Loaded>
    </>
  );
}
