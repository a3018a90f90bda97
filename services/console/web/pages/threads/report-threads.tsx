import { useEffect } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Empty, Loaded } from '../../components/state.tsx';
import { type Anchor, anchorKey, titleOfAnchor } from './anchors.ts';
import { CommentForm, type Written } from './comment-form.tsx';
import { ThreadView } from './thread.tsx';
import styles from './threads.module.css';
import { useReportThreads } from './use-report-threads.ts';

export interface ReportThreadsProps {
  reportId: string;
  /** The point. Undefined shows the threads of the report and of all its points. */
  anchor?: Anchor;
}

/** The comment threads of a report or of one of its points. New comments appear within ten seconds. */
export function ReportThreads({ reportId, anchor }: ReportThreadsProps) {
  const { project, may } = usePlace();
  const query = useReportThreads(reportId);
  const refresh = [
    ['listThreads', project.id, reportId],
    ['listThreadInbox', project.id],
  ];
  const start = useChange(
    (client, written: Written) =>
      client.call('startThread', {
        params: { projectId: project.id, reportId },
        body: { ...written, ...(anchor !== undefined && { anchor }) },
      }),
    { refresh },
  );
  const isLoaded = query.data !== undefined;
  // A link of a message names the comment.
  useEffect(() => {
    if (!isLoaded || anchor !== undefined || location.hash === '') return;
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView({ block: 'center' });
  }, [isLoaded, anchor]);
  return (
    <Loaded query={query}>
      {({ threads }) => {
        const key = anchor && anchorKey(anchor);
        const shown = threads.filter(
          (thread) => key === undefined || (thread.anchor != null && anchorKey(thread.anchor) === key),
        );
        return (
          <>
            {shown.length === 0 ? <Empty text={t('No comments yet.')} /> : null}
            {shown.map((thread) => (
              <article key={thread.id} aria-label={titleOfAnchor(thread.anchor)} className={styles['card']}>
                {anchor === undefined ? <h3>{titleOfAnchor(thread.anchor)}</h3> : null}
                <ThreadView thread={thread} refresh={refresh} />
              </article>
            ))}
            {may('comments.write') ? (
              <CommentForm
                label={anchor === undefined ? t('Comment on the report') : t('Comment on the value')}
                action={t('Start thread')}
                send={start}
              />
            ) : null}
          </>
        );
      }}
    </Loaded>
  );
}
