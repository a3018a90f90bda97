import type {
  Attachment,
  ConversationHistoryEntry,
  Member,
  OperatorConversation,
  SupportSettings,
} from '@switchboard/management';
import { ArrowLeft, CircleCheck, Clock, Download, RotateCcw, Tag, UserRound } from 'lucide-react';
import { type ReactNode, useEffect, useRef } from 'react';
import { t } from '../../app/i18n.ts';
import { usePlace } from '../../app/project.ts';
import { Badge } from '../../components/badge.tsx';
import { Button, IconButton, withKey } from '../../components/button.tsx';
import { CopyAs } from '../../components/copy-as.tsx';
import { Time } from '../../components/values.tsx';
import { Composer, type ComposerHandle } from './compose/composer.tsx';
import { type Pending, useKept } from './compose/drafts.ts';
import { save, usePicture } from './compose/files.ts';
import { forget, keptKey, send } from './compose/sending.ts';
import styles from './inbox.module.css';
import { Labels } from './labels.tsx';
import { priorityName, titleOf } from './list.tsx';
import { MailRest, MailSender, MailState } from './mail/mail.tsx';
import { timelineOf } from './timeline.ts';

export type Tool = 'assign' | 'label' | 'snooze' | 'priority';

interface ConversationProps {
  conversation: OperatorConversation;
  settings: SupportSettings | undefined;
  members: readonly Member[];
  /** Shows what others do in the conversation, such as "Ada is answering". */
  presence: readonly string[];
  composer: React.Ref<ComposerHandle>;
  onTool: (tool: Tool) => void;
  onResolve: () => void;
  onBack: () => void;
  onPerson: () => void;
  onTyping: () => void;
}

/** The open conversation: its state, its time line, and the field for replies and notes. */
export function Conversation(props: ConversationProps) {
  const { conversation, settings, members, presence, composer, onTyping } = props;
  const { project, me } = usePlace();
  const place = { projectId: project.id, conversationId: conversation.id };
  const { pending } = useKept(keptKey(place));
  const end = useRef<HTMLDivElement>(null);
  const entries = timelineOf(conversation);
  const nameOf = (sub: string | null) =>
    sub === null ? t('Someone') : (members.find((member) => member.sub === sub)?.name ?? sub);
  const count = entries.length + pending.length;
  useEffect(() => {
    // Newer browsers return a promise, which is no cleanup.
    void end.current?.scrollIntoView({ block: 'nearest' });
  }, [count, conversation.id]);
  const lastSeenId = lastSeenOf(conversation);
  return (
    <>
      <Head {...props} nameOf={nameOf} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <section className={styles['timeline']} tabIndex={0} aria-label={t('Time line')}>
        <ol>
          {entries.map((entry) => (
            <li key={entry.key} className={styles['entry']}>
              {entry.kind === 'turn' ? (
                <article
                  className={entry.turn.authorKind === 'visitor' ? styles['visitor'] : styles['teammate']}
                >
                  <Byline
                    name={
                      entry.turn.mail !== null && entry.turn.authorKind === 'visitor' ? (
                        <MailSender mail={entry.turn.mail} />
                      ) : entry.turn.authorKind === 'visitor' ? (
                        t('Visitor')
                      ) : (
                        (entry.turn.authorName ?? nameOf(entry.turn.authorId ?? null))
                      )
                    }
                    at={entry.at}
                  />
                  <p className={styles['body']}>{entry.turn.body}</p>
                  {entry.turn.attachments.map((file) => (
                    <File key={file.id} place={place} file={file} />
                  ))}
                  {entry.turn.mail === null ? null : <MailRest mail={entry.turn.mail} />}
                  {entry.turn.id === lastSeenId ? (
                    <p className={styles['seen']}>{t('Seen by the visitor')}</p>
                  ) : null}
                </article>
              ) : entry.kind === 'note' ? (
                <article className={styles['note']}>
                  <Byline name={entry.note.authorName ?? nameOf(entry.note.authorId)} at={entry.at} note />
                  <p className={styles['body']}>{entry.note.body}</p>
                </article>
              ) : entry.kind === 'rating' ? (
                <article className={styles['rating']}>
                  <Byline name={t('Rated {score} of 5', { score: entry.rating.score })} at={entry.at} />
                  {entry.rating.comment === null ? null : (
                    <p className={styles['body']}>{entry.rating.comment}</p>
                  )}
                </article>
              ) : (
                <p className={styles['change']}>
                  {sentenceOf(entry.entry, { nameOf, settings })} · <Time at={entry.at} />
                </p>
              )}
            </li>
          ))}
          {pending.map((text) => (
            <li key={text.key} className={styles['entry']}>
              <PendingText
                text={text}
                onRetry={() => void send(place, text)}
                onForget={() => forget(place, text)}
              />
            </li>
          ))}
        </ol>
        <MailState contact={conversation.contact} />
        <div ref={end} />
      </section>
      <p role="status" className={styles['presence']}>
        {presence.join(' · ')}
      </p>
      <Composer
        key={conversation.id}
        ref={composer}
        place={place}
        members={members}
        savedReplies={settings?.savedReplies ?? []}
        values={{
          'visitor.id': conversation.distinctId,
          'conversation.subject': conversation.subject ?? '',
          'agent.name': me.name ?? '',
          'project.name': project.name,
        }}
        onTyping={onTyping}
      />
    </>
  );
}

/** Returns the last reply that the visitor has seen, unless the visitor wrote after it. */
function lastSeenOf({ turns, visitorReadAt }: OperatorConversation): string | undefined {
  const written = turns.findLastIndex(({ authorKind }) => authorKind === 'visitor');
  return turns
    .slice(written + 1)
    .findLast(
      ({ authorKind, createdAt }) =>
        authorKind === 'teammate' && visitorReadAt !== null && createdAt <= visitorReadAt,
    )?.id;
}

function Head({
  conversation,
  settings,
  nameOf,
  onTool,
  onResolve,
  onBack,
  onPerson,
}: ConversationProps & { nameOf: (sub: string | null) => string }) {
  const { project } = usePlace();
  const { id, status, snoozed, snoozedUntil, assigneeId, teamId, priority, labelIds } = conversation;
  const team = settings?.teams.find(({ id }) => id === teamId);
  return (
    <header className={styles['head']}>
      <div className={styles['headLine']}>
        <span className={styles['narrow']}>
          <IconButton keys="b" icon={ArrowLeft} label={t('Back to the list')} onClick={onBack} />
        </span>
        <h2>{titleOf(conversation)}</h2>
        <span className={styles['medium']}>
          <IconButton keys="i" icon={UserRound} label={t('Show the person')} onClick={onPerson} />
        </span>
        <Button keys="e" icon={status === 'resolved' ? RotateCcw : CircleCheck} onClick={onResolve}>
          {status === 'resolved' ? t('Reopen') : t('Resolve')}
        </Button>
      </div>
      <div className={styles['tools']}>
        <Badge tone={status === 'open' ? 'warning' : status === 'resolved' ? 'good' : 'plain'}>
          {{ open: t('Open'), pending: t('Pending'), resolved: t('Resolved') }[status]}
        </Badge>
        <button type="button" {...withKey('a')} className={styles['tool']} onClick={() => onTool('assign')}>
          <UserRound size={14} aria-hidden />
          {assigneeId === null ? t('Assign') : nameOf(assigneeId)}
          {team === undefined ? null : ` · ${team.name}`}
        </button>
        <button type="button" {...withKey('p')} className={styles['tool']} onClick={() => onTool('priority')}>
          {t('Priority: {name}', { name: priorityName(priority) })}
        </button>
        <button type="button" {...withKey('h')} className={styles['tool']} onClick={() => onTool('snooze')}>
          <Clock size={14} aria-hidden />
          {!snoozed ? (
            t('Snooze')
          ) : snoozedUntil === null ? (
            t('Snoozed until a reply')
          ) : (
            <span>
              {t('Snoozed until')} {untilOf(snoozedUntil)}
            </span>
          )}
        </button>
        <button type="button" {...withKey('l')} className={styles['tool']} onClick={() => onTool('label')}>
          <Tag size={14} aria-hidden />
          {t('Label')}
        </button>
        <Labels ids={labelIds} settings={settings} />
        <CopyAs
          call={{
            method: 'GET',
            path: `/v1/projects/${encodeURIComponent(project.id)}/conversations/${encodeURIComponent(id)}`,
          }}
        />
      </div>
    </header>
  );
}

function Byline({ name, at, note = false }: { name: ReactNode; at: string; note?: boolean }) {
  return (
    <p className={styles['byline']}>
      {typeof name === 'string' ? <strong>{name}</strong> : name}
      {note ? <Badge>{t('Private note')}</Badge> : null}
      <Time at={at} />
    </p>
  );
}

function PendingText({
  text: { kind, body, uploads, error },
  onRetry,
  onForget,
}: {
  text: Pending;
  onRetry: () => void;
  onForget: () => void;
}) {
  return (
    <article className={kind === 'note' ? styles['note'] : styles['teammate']}>
      <p className={styles['body']}>{body}</p>
      {uploads.map(({ id, name }) => (
        <p key={id}>{name}</p>
      ))}
      {error === undefined ? (
        <p className={styles['byline']}>{t('Sending')}</p>
      ) : (
        <div role="alert" className={styles['failed']}>
          <p>{error}</p>
          <Button onClick={onRetry}>{t('Send again')}</Button>
          <Button onClick={onForget}>{t('Discard')}</Button>
        </div>
      )}
    </article>
  );
}

function File({ place, file }: { place: { projectId: string; conversationId: string }; file: Attachment }) {
  return (
    <figure className={styles['file']}>
      {file.contentType.startsWith('image/') ? <Picture place={place} file={file} /> : null}
      <Button icon={Download} onClick={() => void save(place, file)}>
        {file.name}
      </Button>
    </figure>
  );
}

function Picture({
  place,
  file,
}: {
  place: { projectId: string; conversationId: string };
  file: Attachment;
}) {
  const url = usePicture(place, file.id);
  return url === undefined ? null : <img src={url} alt={file.name} />;
}

function untilOf(at: string): string {
  return new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' }).format(new Date(at));
}

interface Names {
  nameOf: (sub: string | null) => string;
  settings: SupportSettings | undefined;
}

/** Says what a change did and who made it. */
function sentenceOf({ authorId, change }: ConversationHistoryEntry, { nameOf, settings }: Names): string {
  const labels = (ids: readonly string[]) =>
    ids
      .map((id) => settings?.labels.find((label) => label.id === id)?.name ?? t('a deleted label'))
      .join(', ');
  const { status, assigneeId, teamId, priority, addLabelIds, removeLabelIds, snooze } = change;
  const parts = [
    status === undefined
      ? undefined
      : { open: t('opened'), pending: t('set to pending'), resolved: t('resolved') }[status],
    assigneeId === undefined
      ? undefined
      : assigneeId === null
        ? t('unassigned')
        : t('assigned to {name}', { name: nameOf(assigneeId) }),
    teamId === undefined
      ? undefined
      : t('team: {name}', { name: settings?.teams.find(({ id }) => id === teamId)?.name ?? t('none') }),
    priority && t('priority: {name}', { name: priorityName(priority) }),
    addLabelIds && t('labelled {names}', { names: labels(addLabelIds) }),
    removeLabelIds && t('label removed: {names}', { names: labels(removeLabelIds) }),
    snooze === null
      ? t('snooze ended')
      : snooze === undefined
        ? undefined
        : snooze.until === null
          ? t('snoozed until a reply')
          : t('snoozed until {time}', { time: untilOf(snooze.until) }),
  ].filter((part) => part !== undefined);
  return [authorId === null ? undefined : nameOf(authorId), parts.join(', ')].filter(Boolean).join(': ');
}
