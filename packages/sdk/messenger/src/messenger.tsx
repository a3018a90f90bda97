import type { Client } from '@switchboard/browser';
import { render } from 'preact';
import { createApi } from './core/api.ts';
import { createScreen, type Screen } from './core/screen.ts';
import { createStore, type Store, type Visitor } from './core/store.ts';
import { loadTexts } from './texts/load.ts';
import { App, Boundary } from './view/app.tsx';
import { STYLES } from './view/styles.ts';

/** A problem that was reported. The messenger never throws into the page. */
export interface MessengerError {
  message: string;
  /** The status of the response, if there was one. */
  status?: number;
}

export interface MessengerOptions {
  /** Languages in order of preference, as BCP 47 tags. Default: those of the browser. */
  locale?: readonly string[];
  /** The signed-in user, shown to the operators. */
  userId?: string;
  /** HMAC-SHA256 of `userId` with an identity secret, in lowercase hex, computed by your server. */
  userHash?: string;
  /** The address that gets replies which the visitor has not read. */
  email?: string;
  /** Whether to draw the button that opens the panel. If false, call `open` from your own button. Default: true. */
  launcher?: boolean;
  onError?: (error: MessengerError) => void;
}

export interface Messenger {
  /** Opens the panel in its last state. */
  open(): void;
  /** Opens a new conversation. If a text is given, it is filled in but not sent. */
  write(text?: string): void;
  close(): void;
  readonly isOpen: boolean;
  /** The number of turns and in-app messages that the visitor has not seen. */
  readonly unread: number;
  /** Calls the listener after `unread` or `isOpen` may have changed. Returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Removes the widget from the page. */
  stop(): void;
}

const NAME = 'switchboard-messenger';
const MAX_LANGUAGES = 10;

/**
 * Renders the messenger on this page: in the element `<switchboard-messenger>` if there is one, else in one at the
 * end of the body. It shows nothing while the messenger is off for the project.
 */
export function startMessenger(client: Client, options: MessengerOptions = {}): Messenger {
  const languages = (options.locale ?? navigator.languages ?? [navigator.language]).slice(0, MAX_LANGUAGES);
  const report = (error: MessengerError) => {
    try {
      options.onError?.(error);
    } catch {
      // An error in the page's own code.
    }
  };
  const store = createStore({
    client,
    api: createApi(client.options),
    locale: languages.join(),
    userId: options.userId,
    userHash: options.userHash,
    email: options.email,
    onRefused: (message, status) => report({ message, ...(status !== 0 && { status }) }),
  });
  const screen = createScreen(`switchboard:${client.options.key}:messenger`, isKept(client));
  const hasLauncher = options.launcher !== false;
  return showMessenger({ client, store, screen, languages, hasLauncher, report });
}

const isKept = ({ options, consent }: Visitor) => options.storage === 'browser' && consent === 'granted';

interface ShowOptions {
  client: Visitor;
  store: Store;
  screen: Screen;
  languages: readonly string[];
  hasLauncher: boolean;
  report(error: MessengerError): void;
}

/** Starts the store and renders it on this page. */
export function showMessenger(options: ShowOptions): Messenger {
  const { client, store, screen, languages, hasLauncher, report } = options;
  let host: HTMLElement | undefined;
  let isStopped = false;
  async function start(): Promise<void> {
    store.start();
    const texts = await loadTexts(languages);
    if (isStopped) return;
    define();
    host =
      document.querySelector<HTMLElement>(NAME) ?? document.body.appendChild(document.createElement(NAME));
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLES);
    root.adoptedStyleSheets = [sheet];
    render(
      <Boundary onError={(error) => report({ message: String(error) })}>
        <App store={store} screen={screen} texts={texts} host={host} hasLauncher={hasLauncher} />
      </Boundary>,
      root,
    );
  }

  /** Runs after the store: the conversations and drafts of another person have been removed. */
  function follow(): void {
    const { route } = screen;
    if (route.name === 'thread' && !store.state.conversations.some(({ key }) => key === route.key)) {
      screen.write('', '');
      screen.set({ route: { name: 'home' } });
    }
    screen.persist(isKept(client));
  }

  start().catch((error: unknown) => report({ message: String(error) }));
  const stopFollowing = client.onChange(follow);

  return {
    open: () => screen.set({ isOpen: true }),
    write(text = '') {
      const key = store.begin();
      if (text !== '') screen.fillIn(key, text);
      screen.set({ isOpen: true, route: { name: 'thread', key } });
    },
    close: () => screen.set({ isOpen: false }),
    get isOpen() {
      return screen.isOpen;
    },
    get unread() {
      return store.state.unread;
    },
    onChange(listener) {
      const safe = () => {
        try {
          listener();
        } catch (error) {
          report({ message: String(error) });
        }
      };
      const stops = [store.subscribe(safe), screen.subscribe(safe)];
      return () => {
        for (const stop of stops) stop();
      };
    },
    stop() {
      isStopped = true;
      stopFollowing();
      store.close();
      if (host?.shadowRoot) render(null, host.shadowRoot);
      host?.remove();
    },
  };
}

/** Not called on import, so that servers can load the module. */
function define(): void {
  if (customElements.get(NAME) !== undefined) return;
  customElements.define(
    NAME,
    class extends HTMLElement {
      constructor() {
        super();
        this.attachShadow({ mode: 'open' });
      }
    },
  );
}
