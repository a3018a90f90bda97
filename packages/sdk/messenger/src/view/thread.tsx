import { useEffect, useState } from 'preact/hooks';
import type { Conversation } from '../core/store.ts';
import { fill } from '../texts/texts.ts';
import { Avatar, Team } from './avatar.tsx';
import { Composer, type FilesGiven } from './composer.tsx';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';
import type { RatingForm } from './lazy/rating.tsx';
import { Presence } from './presence.tsx';
import { Prompts } from './prompts.tsx';
import { Turns } from './turns.tsx';

const MAX_NAMES = 3;
/** Without its code, the form is not shown. */
const ignore = () => undefined;

export function ThreadView({ conversation, onClose }: { conversation: Conversation; onClose(): void }) {
  const { store, screen, texts, config, state } = useAround();
  const [isOver, setOver] = useState(false);
  const [Form, setForm] = useState<typeof RatingForm>();
  const [given, setGiven] = useState<FilesGiven>();
  const { key, turns, waiting, typing, rating } = conversation;
  useEffect(() => {
    store.view(key);
    return () => store.view(undefined);
  }, [key]);
  const isAsked = rating !== undefined;
  useEffect(() => {
    if (isAsked) import('./lazy/rating.tsx').then((loaded) => setForm(() => loaded.RatingForm), ignore);
  }, [isAsked]);
  const answered = turns.findLast(({ kind, author }) => kind === 'teammate' && author !== '');
  const names =
    answered === undefined
      ? config.team.slice(0, MAX_NAMES).map(({ name }) => name.split(' ')[0] ?? name)
      : [answered.author];
  const takesFiles = (event: DragEvent) =>
    config.attachments.enabled && event.dataTransfer?.types.includes('Files') === true;

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: files can be chosen with the keyboard, too.
    <div
      class="view"
      onDragOver={(event) => {
        if (!takesFiles(event)) return;
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOver(false);
      }}
      onDrop={(event) => {
        if (!takesFiles(event)) return;
        event.preventDefault();
        setOver(false);
        setGiven({ files: [...(event.dataTransfer?.files ?? [])] });
      }}
    >
      <header class="head">
        <button
          type="button"
          class="round"
          aria-label={texts.back}
          onClick={() => screen.set({ route: { name: 'home' } })}
        >
          <Icon name="back" />
        </button>
        {answered === undefined ? (
          <Team />
        ) : (
          <Avatar person={{ name: answered.author, avatarUrl: answered.avatarUrl }} />
        )}
        <div class="who">
          <h2>{names.length === 0 ? texts.support : names.join(', ')}</h2>
          <Presence />
        </div>
        <button type="button" class="round" aria-label={texts.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {!state.isOnline && (
        <p class="notice" role="status">
          {texts.offline}
        </p>
      )}
      <Turns conversation={conversation} />
      <p class="typing" role="status">
        {typing !== undefined && (
          <>
            <span class="dots" aria-hidden="true">
              <i />
              <i />
              <i />
            </span>
            {fill(texts.typing, typing || texts.support)}
          </>
        )}
      </p>
      {turns.length + waiting.length === 0 && <Prompts onAsk={(text) => store.send(key, text)} />}
      {rating !== undefined && Form !== undefined && <Form thread={key} rating={rating} />}
      <Composer key={`${key}${screen.fills}`} thread={key} given={given} />
      {isOver && (
        <div class="over" aria-hidden="true">
          <Icon name="clip" />
          {texts.drop}
        </div>
      )}
    </div>
  );
}
