import type { Result } from '@switchboard/management';
import { Check, Pencil, RotateCcw, SmilePlus, Trash2 } from 'lucide-react';
import { Fragment, useState } from 'react';
import { useChange } from '../../app/api.ts';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton } from '../../components/button.tsx';
import { Confirm } from '../../components/dialog.tsx';
import { Menu } from '../../components/menu.tsx';
import { Failed } from '../../components/state.tsx';
import { Time } from '../../components/values.tsx';
import { CommentForm, type Written } from './comment-form.tsx';
import { type Colleague, useColleagues } from './members.ts';
import styles from './threads.module.css';

export type Thread = Result<'listThreads'>['threads'][number];
type Comment = Thread['comments'][number];
type Emoji = Comment['reactions'][number]['emoji'];

const EMOJI: readonly Emoji[] = ['👍', '❤️', '🎯', '🎉', '🤔', '👀'];

interface ThreadProps {
  thread: Thread;
  /** The queries that hold the thread. */
  refresh: readonly (readonly unknown[])[];
}

/** The comments of a thread, with replies, reactions and its resolution. */
export function ThreadView({ thread, refresh }: ThreadProps) {
  const { project, may } = usePlace();
  const params = { projectId: project.id, threadId: thread.id };
  const reply = useChange(
    (client, written: Written) => client.call('replyToThread', { params, body: written }),
    { refresh },
  );
  const resolve = useChange(
    (client, isResolved: boolean) => client.call(isResolved ? 'resolveThread' : 'reopenThread', { params }),
    { refresh },
  );
  const mayWrite = may('comments.write');
  const takesReplies = thread.comments[0]?.deleted === false;
  return (
    <div className={styles['thread']}>
      <ol className={styles['comments']}>
        {thread.comments.map((comment) => (
          <CommentView key={comment.id} comment={comment} refresh={refresh} />
        ))}
      </ol>
      {resolve.error === null ? null : <Failed error={resolve.error} />}
      {thread.resolved ? (
        <p className={styles['muted']}>
          <Badge tone="good">{t('Resolved')}</Badge>{' '}
          {thread.resolvedAt == null ? null : <Time at={thread.resolvedAt} />}
        </p>
      ) : null}
      {mayWrite && takesReplies ? (
        <CommentForm label={t('Reply to the thread')} action={t('Reply')} send={reply} />
      ) : null}
      {mayWrite ? (
        <div>
          <Button
            kind="quiet"
            icon={thread.resolved ? RotateCcw : Check}
            disabled={resolve.isPending}
            onClick={() => resolve.mutate(!thread.resolved)}
          >
            {thread.resolved ? t('Reopen thread') : t('Resolve thread')}
          </Button>
        </div>
      ) : null}
    </div>
  );
}

function CommentView({ comment, refresh }: { comment: Comment; refresh: ThreadProps['refresh'] }) {
  const { project, may } = usePlace();
  const colleagues = useColleagues();
  const [opened, setOpened] = useState<'edit' | 'delete'>();
  const params = { projectId: project.id, commentId: comment.id };
  const edit = useChange((client, body: Written) => client.call('changeComment', { params, body }), {
    refresh,
  });
  const remove = useChange((client, _: undefined) => client.call('deleteComment', { params }), { refresh });
  const react = useChange(
    (client, { emoji, isOn }: { emoji: Emoji; isOn: boolean }) =>
      client.call(isOn ? 'addReaction' : 'removeReaction', { params: { ...params, emoji } }),
    { refresh },
  );
  const close = () => setOpened(undefined);
  const author = comment.authorName ?? t('A former colleague');
  const failure = remove.error ?? react.error;
  if (comment.deleted) {
    return (
      <li id={comment.id} className={styles['comment']}>
        <p className={styles['muted']}>{t('This comment was deleted.')}</p>
      </li>
    );
  }
  return (
    <li id={comment.id} className={styles['comment']}>
      <p className={styles['author']}>
        <strong>{author}</strong> <Time at={comment.createdAt} />
        {comment.editedAt == null ? null : <span>{t('edited')}</span>}
        {comment.canChange ? (
          <span className={styles['own']}>
            <IconButton icon={Pencil} label={t('Edit comment')} onClick={() => setOpened('edit')} />
            <IconButton icon={Trash2} label={t('Delete comment')} onClick={() => setOpened('delete')} />
          </span>
        ) : null}
      </p>
      {opened === 'edit' ? (
        <CommentForm
          label={t('Edit comment')}
          action={t('Save comment')}
          initial={comment.body ?? ''}
          send={edit}
          onSent={close}
          onCancel={close}
        />
      ) : (
        <p className={styles['body']}>
          <WithMentions text={comment.body ?? ''} mentioned={comment.mentions} colleagues={colleagues} />
        </p>
      )}
      {failure === null ? null : <Failed error={failure} />}
      <div className={styles['reactions']}>
        {comment.reactions.map(({ emoji, count, reactedByMe }) => (
          <button
            key={emoji}
            type="button"
            className={styles['reaction']}
            aria-pressed={reactedByMe}
            aria-label={t('{emoji}, {count}', { emoji, count })}
            disabled={!may('comments.write')}
            onClick={() => react.mutate({ emoji, isOn: !reactedByMe })}
          >
            {emoji} {count}
          </button>
        ))}
        {may('comments.write') ? (
          <Menu
            name={t('Add reaction')}
            label={<SmilePlus size={16} aria-hidden />}
            items={EMOJI.map((emoji) => ({ title: emoji, run: () => react.mutate({ emoji, isOn: true }) }))}
          />
        ) : null}
      </div>
      {opened === 'delete' ? (
        <Confirm
          title={t('Delete this comment?')}
          action={t('Delete comment')}
          onClose={close}
          onConfirm={() => remove.mutate(undefined, { onSuccess: close })}
        >
          <p>{t('Its place in the thread stays.')}</p>
        </Confirm>
      ) : null}
    </li>
  );
}

interface WithMentionsProps {
  text: string;
  mentioned: readonly string[];
  colleagues: readonly Colleague[];
}

/** A text in which the names of the people it mentions stand out. */
function WithMentions({ text, mentioned, colleagues }: WithMentionsProps) {
  const names = colleagues.filter(({ sub }) => mentioned.includes(sub)).map(({ name }) => `@${name}`);
  let parts: { text: string; isName: boolean }[] = [{ text, isName: false }];
  for (const name of names.sort((one, other) => other.length - one.length)) {
    parts = parts.flatMap((part) =>
      part.isName
        ? [part]
        : part.text
            .split(name)
            .flatMap((piece, at) => [
              ...(at === 0 ? [] : [{ text: name, isName: true }]),
              { text: piece, isName: false },
            ]),
    );
  }
  return parts.map((part, at) => (
    <Fragment key={at}>
      {part.isName ? <span className={styles['name']}>{part.text}</span> : part.text}
    </Fragment>
  ));
}
