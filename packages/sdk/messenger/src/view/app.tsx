import { Component, type ComponentChildren } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Screen } from '../core/screen.ts';
import type { Store } from '../core/store.ts';
import { createFormats } from '../texts/format.ts';
import type { Texts } from '../texts/texts.ts';
import { colourOf, paletteOf } from './colours.ts';
import { type Around, Surroundings } from './context.ts';
import { HomeView, MessageView } from './home.tsx';
import { Launcher } from './launcher.tsx';
import { ThreadView } from './thread.tsx';

interface AppProps {
  store: Store;
  screen: Screen;
  texts: Texts;
  /** The element of the widget, used to resolve colours. */
  host: HTMLElement;
  hasLauncher: boolean;
}

/** Renders the whole widget. */
export function App({ store, screen, texts, host, hasLauncher }: AppProps) {
  const [state, setState] = useState(store.state);
  const [, setShown] = useState({});
  const launcher = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLElement>(null);
  const wasOpen = useRef(screen.isOpen);
  const formats = useMemo(() => createFormats(texts), [texts]);
  const isDarkPage = useMedia('(prefers-color-scheme: dark)');
  const { isOpen, route } = screen;
  const { config } = state;
  const isOn = config !== undefined;

  useEffect(() => {
    setState(store.state);
    const stops = [store.subscribe(() => setState(store.state)), screen.subscribe(() => setShown({}))];
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  useEffect(() => {
    if (isOpen && isOn) store.use();
  }, [isOpen, isOn]);
  useEffect(() => {
    // Only after an action of the visitor: a page that starts with an open panel keeps its focus.
    if (isOpen !== wasOpen.current) isOpen ? focusIn(panel.current) : launcher.current?.focus();
    wasOpen.current = isOpen;
  }, [isOpen]);
  const place = JSON.stringify(route);
  const placeBefore = useRef(place);
  useEffect(() => {
    if (isOpen && place !== placeBefore.current) focusIn(panel.current);
    placeBefore.current = place;
  }, [place]);
  const messageId = route.name === 'message' ? route.id : undefined;
  useEffect(() => {
    if (isOpen && messageId !== undefined && state.messages.some(({ id, read }) => id === messageId && !read))
      store.markRead(messageId);
  }, [isOpen, messageId, state.messages]);

  const { skin, launcherPosition } = config?.look ?? {};
  const isDark = skin === 'dark' || (skin !== 'light' && isDarkPage);
  const palette = useMemo(
    () => paletteOf(colourOf(config?.accent ?? '', host), isDark, skin === 'soft'),
    [config?.accent, isDark, skin],
  );
  if (config === undefined) return null;

  const around: Around = { store, screen, texts, formats, config, state };
  const close = () => screen.set({ isOpen: false });
  const conversation =
    route.name === 'thread' ? state.conversations.find(({ key }) => key === route.key) : undefined;
  const message = state.messages.find(({ id }) => id === messageId);
  return (
    <Surroundings.Provider value={around}>
      <div
        class="root"
        lang={texts.tag}
        dir={texts.isRightToLeft ? 'rtl' : 'ltr'}
        data-skin={skin}
        data-scheme={isDark ? 'dark' : 'light'}
        data-side={launcherPosition}
        data-size={config.look.launcherSize}
        data-launcher={hasLauncher}
        style={{ ...palette, '--x': `${config.offsetX}px`, '--y': `${config.offsetY}px` }}
      >
        {isOpen && (
          <section
            class="panel"
            ref={panel}
            role="dialog"
            aria-label={texts.messenger}
            tabIndex={-1}
            onKeyDown={(event) => {
              if (event.key === 'Escape') close();
            }}
          >
            {conversation !== undefined ? (
              <ThreadView conversation={conversation} onClose={close} />
            ) : message !== undefined ? (
              <MessageView message={message} onClose={close} />
            ) : (
              <HomeView onClose={close} />
            )}
          </section>
        )}
        {hasLauncher && (
          <Launcher isOpen={isOpen} onToggle={() => screen.set({ isOpen: !isOpen })} place={launcher} />
        )}
      </div>
    </Surroundings.Provider>
  );
}

/** Focuses the text field if that does not open an on-screen keyboard, or else the panel. */
function focusIn(panel: HTMLElement | null): void {
  const field = matchMedia('(pointer: fine)').matches ? panel?.querySelector('textarea') : undefined;
  (field ?? panel)?.focus();
}

function useMedia(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query]);
  const [matches, setMatches] = useState(media.matches);
  useEffect(() => {
    const listen = () => setMatches(media.matches);
    media.addEventListener('change', listen);
    return () => media.removeEventListener('change', listen);
  }, [media]);
  return matches;
}

interface BoundaryProps {
  onError(error: unknown): void;
  children: ComponentChildren;
}

/** Renders nothing after an error, so that the page does not break. */
export class Boundary extends Component<BoundaryProps, { isBroken: boolean }> {
  override state = { isBroken: false };

  override componentDidCatch(error: unknown): void {
    this.setState({ isBroken: true });
    this.props.onError(error);
  }

  override render(): ComponentChildren {
    return this.state.isBroken ? null : this.props.children;
  }
}
