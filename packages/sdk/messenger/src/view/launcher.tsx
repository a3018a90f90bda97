import type { Ref } from 'preact';
import { fill } from '../texts/texts.ts';
import { Team } from './avatar.tsx';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';

interface LauncherProps {
  isOpen: boolean;
  onToggle(): void;
  place: Ref<HTMLButtonElement>;
}

const MAX_SHOWN = 9;

/** Renders the button that opens the panel, with the unread count. */
export function Launcher({ isOpen, onToggle, place }: LauncherProps) {
  const { config, texts, formats, state } = useAround();
  const { launcherShape, launcherFill, launcherSize, launcherContent } = config.look;
  const { unread } = state;
  const count = unread > MAX_SHOWN ? `${formats.number(MAX_SHOWN)}+` : formats.number(unread);
  const label = [
    isOpen ? texts.close : texts.open,
    ...(unread > 0 ? [fill(texts.unread, formats.number(unread))] : []),
  ].join(', ');
  const content = launcherContent === 'avatars' && config.team.length === 0 ? 'icon' : launcherContent;
  return (
    <>
      <button
        type="button"
        class="launcher"
        ref={place}
        data-shape={launcherShape}
        data-fill={launcherFill}
        data-size={launcherSize}
        data-content={content}
        aria-expanded={isOpen}
        aria-label={label}
        onClick={onToggle}
      >
        {content === 'avatars' && !isOpen && <Team />}
        {(content === 'icon' || content === 'both' || isOpen) && <Icon name={isOpen ? 'down' : 'chat'} />}
        {(content === 'text' || content === 'both') && <span>{texts.chat}</span>}
        {unread > 0 && !isOpen && (
          <span class="badge" aria-hidden="true">
            {count}
          </span>
        )}
      </button>
      <span class="hidden" role="status">
        {unread > 0 && !isOpen ? fill(texts.unread, formats.number(unread)) : ''}
      </span>
    </>
  );
}
