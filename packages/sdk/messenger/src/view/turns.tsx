import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Access } from '../core/api.ts';
import type { Config } from '../core/config.ts';
import type { Outgoing } from '../core/kept.ts';
import { linked } from '../core/markup.ts';
import type { Conversation } from '../core/store.ts';
import type { Turn } from '../core/turns.ts';
import { isSameDay } from '../texts/format.ts';
import { Attachment } from './attachment.tsx';
import { Avatar } from './avatar.tsx';
import { useAround, useNow } from './context.ts';
import { Pieces } from './pieces.tsx';
import { AwayMessage } from './presence.tsx';

/** A displayed turn: stored by the server, or still being sent. */
interface Shown extends Turn {
  waiting?: Outgoing;
  /** Whether the turn is the first or last of consecutive turns of one author. */
  isFirst: boolean;
  isLast: boolean;
  isNewDay: boolean;
  /** Whether this is the last turn of the visitor, and a teammate has read it but not answered. */
  isRead: boolean;
}

const GROUP_MS = 5 * 60_000;
const PAGE = 80;
const NEAR_BOTTOM = 120;

/** Renders the turns of a conversation, oldest first. New turns are announced to screen readers. */
export function Turns({ conversation }: { conversation: Conversation }) {
  const { texts, config, formats } = useAround();
  const now = useNow();
  const [count, setCount] = useState(PAGE);
  const scroller = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  const all = shownOf(conversation, config);
  const turns = all.slice(-count);
  const newest = turns.at(-1);
  useLayoutEffect(() => {
    const { current } = scroller;
    if (current !== null && (isAtEnd.current || newest?.waiting !== undefined))
      current.scrollTop = current.scrollHeight;
  }, [newest?.id, newest?.waiting?.problem]);
  useEffect(() => {
    const { current } = scroller;
    if (current === null) return;
    // The field below grows with its text.
    const observer = new ResizeObserver(() => {
      if (isAtEnd.current) current.scrollTop = current.scrollHeight;
    });
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  const { id, token } = conversation;
  const access = id !== undefined && token !== undefined ? { id, token } : undefined;

  return (
    <div
      class="log"
      ref={scroller}
      role="log"
      aria-label={texts.history}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard.
      tabIndex={0}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_BOTTOM;
      }}
    >
      {all.length > turns.length && (
        <button type="button" class="link earlier" onClick={() => setCount(count + PAGE)}>
          {texts.earlier}
        </button>
      )}
      {turns.map((turn) => (
        <div key={turn.id}>
          {turn.isNewDay && config.dayDividers && <p class="day">{formats.day(turn.at, now)}</p>}
          {turn.kind === 'system' ? (
            <p class="system">{turn.body}</p>
          ) : (
            <Bubble turn={turn} now={now} access={access} />
          )}
        </div>
      ))}
      <AwayMessage />
      {conversation.status === 'resolved' && <p class="system">{texts.resolved}</p>}
    </div>
  );
}

interface BubbleProps {
  turn: Shown;
  now: number;
  access: Access | undefined;
}

function Bubble({ turn, now, access }: BubbleProps) {
  const { texts, config, formats, store, state } = useAround();
  const { namePlacement, stampPlacement, stampContent, bubbleShape, bubbleFill } = config.look;
  const isMine = turn.kind === 'visitor';
  const author = isMine ? texts.you : turn.author || (turn.kind === 'bot' ? texts.assistant : texts.support);
  const namePlace = isMine ? 'none' : namePlacement;
  const isNamed = namePlace !== 'none' && (namePlace === 'below' ? turn.isLast : turn.isFirst);
  const name = isNamed ? <span class="name">{author}</span> : undefined;
  const { waiting } = turn;
  const stampText =
    stampContent === 'relative'
      ? formats.ago(turn.at, now)
      : stampContent === 'datetime'
        ? formats.moment(turn.at)
        : formats.time(turn.at);
  const isStamped =
    waiting === undefined &&
    stampPlacement !== 'none' &&
    (stampPlacement === 'above' ? turn.isFirst : turn.isLast);
  const stamp = isStamped ? (
    <span class="stamp">
      <time dateTime={new Date(turn.at).toISOString()}>{stampText}</time>
      {turn.isRead && ` · ${texts.read}`}
    </span>
  ) : undefined;
  return (
    <div
      class={`turn ${isMine ? 'mine' : 'theirs'}${turn.isLast ? ' last' : ''}${turn.isFirst ? ' first' : ''}`}
    >
      {namePlace === 'above' && name}
      {stampPlacement === 'above' && stamp}
      <div class="line">
        {!isMine && config.nameAvatar && (
          <span class="beside">
            {turn.isLast && <Avatar person={{ name: author, avatarUrl: turn.avatarUrl }} />}
          </span>
        )}
        <div
          class={waiting === undefined ? 'bubble' : 'bubble waiting'}
          data-shape={bubbleShape}
          data-fill={bubbleFill}
        >
          {namePlace === 'inside' && name}
          {!isNamed && <span class="hidden">{author}: </span>}
          {turn.body.trim() !== '' && (
            <p class="body" dir="auto">
              <Pieces pieces={linked(turn.body)} />
            </p>
          )}
          {turn.files.map((file) => (
            <Attachment key={file.id} file={file} access={access} />
          ))}
          {stampPlacement === 'inside' && stamp}
        </div>
        {stampPlacement === 'beside' && stamp}
      </div>
      {namePlace === 'below' && name}
      {stampPlacement === 'below' && stamp}
      {turn.isRead && !isStamped && <span class="stamp">{texts.read}</span>}
      {waiting !== undefined &&
        (waiting.problem === undefined ? (
          <span class="stamp">{state.isOnline ? texts.sending : texts.waiting}</span>
        ) : (
          <span class="stamp wrong" role="alert">
            {texts.failed}
            <button type="button" class="link" onClick={() => store.retry(waiting.key)}>
              {texts.retry}
            </button>
            <button type="button" class="link" onClick={() => store.discard(waiting.key)}>
              {texts.discard}
            </button>
          </span>
        ))}
    </div>
  );
}

function shownOf({ turns, waiting, last, readAt }: Conversation, { greeting, team }: Config): Shown[] {
  const pending = waiting.map((item): Turn & { waiting: Outgoing } => ({
    id: item.key,
    kind: 'visitor',
    body: item.body,
    at: item.at,
    author: '',
    avatarUrl: undefined,
    files: item.files,
    waiting: item,
  }));
  const first = turns[0]?.at ?? pending[0]?.at ?? last.at;
  const hello: Turn[] =
    greeting === ''
      ? []
      : [
          {
            id: 'hello',
            kind: 'teammate',
            body: greeting,
            at: first,
            author: team[0]?.name ?? '',
            avatarUrl: team[0]?.avatarUrl,
            files: [],
          },
        ];
  const all: (Turn & { waiting?: Outgoing })[] = [...hello, ...turns, ...pending];
  const answered = turns.findLastIndex(({ kind }) => kind !== 'visitor');
  const lastRead = turns.slice(answered + 1).findLast(({ at }) => at <= readAt);
  return all.map((turn, index) => {
    const [before, after] = [all[index - 1], all[index + 1]];
    return {
      ...turn,
      isFirst: !isTogether(before, turn),
      isLast: !isTogether(turn, after),
      isNewDay: before === undefined || !isSameDay(before.at, turn.at),
      isRead: turn === lastRead,
    };
  });
}

const isTogether = (one: Turn | undefined, next: Turn | undefined) =>
  one !== undefined &&
  next !== undefined &&
  one.kind === next.kind &&
  one.author === next.author &&
  next.at - one.at < GROUP_MS &&
  isSameDay(one.at, next.at);
