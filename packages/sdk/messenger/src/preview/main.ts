import type { InboxMessage } from '@switchboard/browser';
import { createScreen, type Route } from '../core/screen.ts';
import { createStore, type Store, type Visitor } from '../core/store.ts';
import { type Messenger, showMessenger } from '../messenger.tsx';
import { parseShown, type Shown, type View } from './messages.ts';
import { createPretendApi, SAMPLE } from './pretend.ts';

/** The document of the preview: the widget without a server. The console sends it what to show. */

const NAME = 'preview';
let shown: Shown | undefined;
let messages: readonly InboxMessage[] = [];
let running: { messenger: Messenger; store: Store } | undefined;
const listeners = new Set<() => void>();

const ROUTES: Record<View, Route> = {
  home: { name: 'home' },
  closed: { name: 'home' },
  conversation: { name: 'thread', key: SAMPLE },
  rating: { name: 'thread', key: SAMPLE },
  message: { name: 'message', id: SAMPLE },
};

const visitor: Visitor = {
  options: { key: NAME, host: '', eventsHost: '', replayHost: '', storage: 'memory' },
  consent: 'denied',
  distinctId: NAME,
  isIdentified: true,
  onChange: () => () => undefined,
  inbox: {
    messages: () => messages,
    refresh: async () => undefined,
    async markRead() {
      messages = messages.map((one) => ({ ...one, read: true }));
      return true;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  },
};

addEventListener('message', ({ source, origin, data }) => {
  if (source !== window.parent || origin !== location.origin) return;
  const next = parseShown(data);
  if (next !== undefined) show(next);
});

function show(next: Shown): void {
  const before = shown;
  shown = next;
  if (JSON.stringify(next.message) !== JSON.stringify(before?.message)) {
    const { message } = next;
    messages =
      message === undefined
        ? []
        : [{ id: SAMPLE, read: false, createdAt: new Date().toISOString(), ...message }];
    for (const listener of listeners) listener();
  }
  const { locale, view, isDark } = next;
  document.documentElement.style.background = isDark ? '#1b1d22' : '#ffffff';
  if (locale !== before?.locale || view !== before.view || isDark !== before.isDark) start(next);
  else void running?.store.readConfig();
}

const systemMatches = window.matchMedia.bind(window);
window.matchMedia = (query) =>
  systemMatches(query !== '(prefers-color-scheme: dark)' ? query : shown?.isDark ? 'all' : 'not all');

/** A view that is open from the start takes no focus from the console. */
function start({ locale, view }: Shown): void {
  running?.messenger.stop();
  const api = createPretendApi({
    configuration: () => shown?.configuration,
    picture: (path) => shown?.pictures[path] ?? '',
    isResolved: view === 'rating',
  });
  const screen = createScreen(NAME, false);
  screen.set({ isOpen: view !== 'closed', route: ROUTES[view] });
  const store = createStore({
    ...{ client: visitor, api, locale },
    ...{ userId: NAME, userHash: NAME, email: undefined },
    onRefused: () => undefined,
  });
  const messenger = showMessenger({
    ...{ client: visitor, store, screen, hasLauncher: true },
    languages: [locale],
    report: () => undefined,
  });
  running = { messenger, store };
}

window.parent.postMessage({ kind: 'ready' }, location.origin);
