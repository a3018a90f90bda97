import type { InboxMessage } from '@switchboard/browser';
import { linked } from '../core/markup.ts';
import type { Conversation } from '../core/store.ts';
import { fill } from '../texts/texts.ts';
import { Avatar, Team } from './avatar.tsx';
import { useAround, useNow } from './context.ts';
import { Icon } from './icons.tsx';
import { Pieces } from './pieces.tsx';
import { AwayMessage, Presence } from './presence.tsx';
import { Prompts } from './prompts.tsx';

/** Renders the start view: the team, conversations, and news. */
export function HomeView({ onClose }: { onClose(): void }) {
  const { store, screen, texts, config, state } = useAround();
  const now = useNow();
  const open = (key: string) => screen.set({ route: { name: 'thread', key } });
  const ask = (text: string) => {
    const key = store.begin();
    store.send(key, text);
    open(key);
  };
  const conversations = state.conversations.filter(
    ({ id, turns, waiting }) => id !== undefined || turns.length + waiting.length > 0,
  );
  return (
    <div class="view">
      <button type="button" class="round corner" aria-label={texts.close} onClick={onClose}>
        <Icon name="close" />
      </button>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
      <section class="scroll" tabIndex={0} aria-label={texts.messenger}>
        <div class="hero">
          <Team />
          <h2 dir="auto">{config.greeting === '' ? texts.messenger : config.greeting}</h2>
          <Presence />
        </div>
        <AwayMessage />
        <button type="button" class="write" onClick={() => open(store.begin())}>
          {texts.write}
          <Icon name="send" />
        </button>
        <Prompts onAsk={ask} />
        {conversations.length > 0 && (
          <section>
            <h3>{texts.conversations}</h3>
            <ul class="list">
              {conversations.map((one) => (
                <li key={one.key}>
                  <ConversationRow conversation={one} now={now} onOpen={() => open(one.key)} />
                </li>
              ))}
            </ul>
          </section>
        )}
        {state.messages.length > 0 && (
          <section>
            <h3>{texts.news}</h3>
            <ul class="list">
              {state.messages.map((message) => (
                <li key={message.id}>
                  <MessageRow
                    message={message}
                    now={now}
                    onOpen={() => screen.set({ route: { name: 'message', id: message.id } })}
                  />
                </li>
              ))}
            </ul>
          </section>
        )}
      </section>
    </div>
  );
}

interface RowProps {
  now: number;
  onOpen(): void;
}

function ConversationRow({ conversation, now, onOpen }: RowProps & { conversation: Conversation }) {
  const { texts, formats, config } = useAround();
  const { last, unread, turns, typing, status } = conversation;
  const answered = turns.findLast(({ kind }) => kind === 'teammate');
  const name = answered?.author || config.team[0]?.name || texts.support;
  return (
    <button type="button" class={unread > 0 ? 'item new' : 'item'} onClick={onOpen}>
      <Avatar person={{ name, avatarUrl: answered?.avatarUrl }} />
      <span class="words">
        <span class="title">{last.author || texts.you}</span>
        <span class="preview">
          {typing === undefined ? <bdi>{last.text}</bdi> : fill(texts.typing, typing || texts.support)}
        </span>
      </span>
      <span class="aside">
        <time dateTime={new Date(last.at).toISOString()}>{formats.ago(last.at, now)}</time>
        {unread > 0 && (
          <span class="badge">
            <span aria-hidden="true">{formats.number(unread)}</span>
            <span class="hidden">{fill(texts.unread, formats.number(unread))}</span>
          </span>
        )}
        {unread === 0 && status === 'resolved' && <span>{texts.closed}</span>}
      </span>
    </button>
  );
}

function MessageRow({ message, now, onOpen }: RowProps & { message: InboxMessage }) {
  const { texts, formats } = useAround();
  const at = Date.parse(message.createdAt);
  return (
    <button type="button" class={message.read ? 'item' : 'item new'} onClick={onOpen}>
      <span class="words">
        <span class="title">
          <bdi>{message.title}</bdi>
        </span>
        <span class="preview">
          <bdi>{message.body}</bdi>
        </span>
      </span>
      <span class="aside">
        {Number.isFinite(at) && <time dateTime={new Date(at).toISOString()}>{formats.ago(at, now)}</time>}
        {!message.read && <span class="badge">{texts.isNew}</span>}
      </span>
    </button>
  );
}

/** Renders a message of the inbox. */
export function MessageView({ message, onClose }: { message: InboxMessage; onClose(): void }) {
  const { screen, texts, formats } = useAround();
  const at = Date.parse(message.createdAt);
  return (
    <div class="view">
      <header class="head">
        <button
          type="button"
          class="round"
          aria-label={texts.back}
          onClick={() => screen.set({ route: { name: 'home' } })}
        >
          <Icon name="back" />
        </button>
        <p class="who title">{texts.news}</p>
        <button type="button" class="round" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be scrolled with the keyboard. */}
      <article class="scroll message" tabIndex={0} aria-label={message.title}>
        <h2 dir="auto">{message.title}</h2>
        {Number.isFinite(at) && <time dateTime={new Date(at).toISOString()}>{formats.moment(at)}</time>}
        <p class="body" dir="auto">
          <Pieces pieces={linked(message.body)} />
        </p>
      </article>
    </div>
  );
}
