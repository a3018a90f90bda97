import type { ConversationSummary, SupportSettings } from '@switchboard/management';
import { useEffect, useRef } from 'react';
import { t } from '../../app/i18n.ts';
import { Time } from '../../components/values.tsx';
import { useVirtualRows } from '../../components/virtual-rows.ts';
import styles from './inbox.module.css';
import { Labels } from './labels.tsx';

interface ListProps {
  conversations: readonly ConversationSummary[];
  settings: SupportSettings | undefined;
  open: string | undefined;
  selected: ReadonlySet<string>;
  onOpen: (id: string) => void;
  onSelect: (id: string) => void;
  /** Reads more conversations, when the end comes near. */
  more: (() => void) | undefined;
}

const ROW_PX = 77;

/** The conversations of a view. Only those on screen exist. */
export function ConversationList(props: ListProps) {
  const { conversations, settings, open, selected, onOpen, onSelect, more } = props;
  const scroll = useRef<HTMLElement>(null);
  const { virtual, items } = useVirtualRows({ count: conversations.length, rowPx: ROW_PX, scroll, more });
  const at = conversations.findIndex(({ id }) => id === open);
  useEffect(() => {
    if (at >= 0) virtual.scrollToIndex(at);
  }, [at, virtual]);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a list that scrolls is reached by keyboard
    <section ref={scroll} className={styles['scroll']} tabIndex={0} aria-label={t('Conversations')}>
      <ul style={{ height: virtual.getTotalSize(), position: 'relative' }}>
        {items.map(({ index, start }) => {
          const conversation = conversations[index];
          if (conversation === undefined) return null;
          const { id } = conversation;
          return (
            <li
              key={id}
              className={styles['row']}
              style={{ transform: `translateY(${start}px)`, height: ROW_PX }}
              aria-current={id === open}
            >
              <input
                type="checkbox"
                aria-label={t('Select {subject}', { subject: titleOf(conversation) })}
                checked={selected.has(id)}
                onChange={() => onSelect(id)}
              />
              <button type="button" className={styles['rowButton']} onClick={() => onOpen(id)}>
                <Row conversation={conversation} settings={settings} />
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Returns the subject, or the visitor of a conversation without one. */
export const titleOf = ({
  subject,
  distinctId,
}: {
  subject?: string | null | undefined;
  distinctId: string;
}) => subject ?? distinctId;

function Row({
  conversation,
  settings,
}: {
  conversation: ConversationSummary;
  settings: SupportSettings | undefined;
}) {
  const { lastTurn, unread, lastTurnAt, labelIds, priority } = conversation;
  return (
    <>
      <span className={styles['rowHead']}>
        <span className={unread ? styles['unreadTitle'] : styles['rowTitle']}>{titleOf(conversation)}</span>
        <Time at={lastTurnAt} />
      </span>
      <span className={styles['preview']}>
        {lastTurn === null
          ? t('No turns yet')
          : `${authorOf(lastTurn.authorKind)}${lastTurn.body || t('Attachment')}`}
      </span>
      <span className={styles['rowFoot']}>
        {unread ? <span className={styles['unread']}>{t('Unread')}</span> : null}
        {priority === 'normal' ? null : <span className={styles['priority']}>{priorityName(priority)}</span>}
        <Labels ids={labelIds} settings={settings} />
      </span>
    </>
  );
}

const authorOf = (kind: string) => (kind === 'teammate' ? `${t('Team')}: ` : '');

/** Returns the name of a priority. */
export const priorityName = (priority: ConversationSummary['priority']): string =>
  ({ urgent: t('Urgent'), high: t('High'), normal: t('Normal'), low: t('Low') })[priority];
