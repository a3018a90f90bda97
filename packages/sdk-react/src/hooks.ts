'use client';

import { type Client, type Flags, type FlagValue, flagValue, type InboxMessage } from '@switchboard/browser';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useMemo,
  useSyncExternalStore,
} from 'react';

type AllFlags = Readonly<Record<string, unknown>>;

export interface SwitchboardProviderProps {
  /** Made with `init`. Undefined on the server. */
  client: Client | undefined;
  /**
   * The flags that the server evaluated (`GET /v1/flags`): what it renders, and what the browser renders first. Give
   * the same to `init`.
   */
  bootstrap?: { flags: AllFlags };
  children?: ReactNode;
}

interface Provided {
  client: Client | undefined;
  bootstrap: AllFlags;
}

const NO_FLAGS: AllFlags = {};
const NO_MESSAGES: readonly InboxMessage[] = [];
const CONTEXT = createContext<Provided>({ client: undefined, bootstrap: NO_FLAGS });
const nothing = () => () => undefined;

/** Makes a client known to the hooks below it. */
export function SwitchboardProvider({ client, bootstrap, children }: SwitchboardProviderProps): ReactElement {
  const flags = bootstrap?.flags ?? NO_FLAGS;
  const value = useMemo(() => ({ client, bootstrap: flags }), [client, flags]);
  return createElement(CONTEXT.Provider, { value }, children);
}

/** The client; undefined on the server and without a provider. */
export function useSwitchboard(): Client | undefined {
  return useContext(CONTEXT).client;
}

/** Every flag of the current person. Renders again when one changes. */
export function useFlags(): AllFlags {
  const { client, bootstrap } = useContext(CONTEXT);
  return useSyncExternalStore(
    client?.flags.onChange ?? nothing,
    () => client?.flags.all() ?? bootstrap,
    () => bootstrap,
  );
}

/** The value of a flag, or the fallback, as `flags.get` of the client. Renders again when it changes. */
export function useFlag<K extends keyof Flags | (string & {}), V>(
  key: K,
  fallback: V,
): FlagValue<K & string, V> {
  return flagValue(useFlags(), key, fallback);
}

/** The client's `track`, which does nothing on the server. The same function as long as the client is. */
export function useTrack(): Client['track'] {
  const client = useSwitchboard();
  return useCallback(
    (name, properties) => client?.track(name, properties) ?? Promise.resolve(undefined),
    [client],
  );
}

/** The in-app messages of the current person. Renders again when they change; none on the server. */
export function useInbox(): {
  messages: readonly InboxMessage[];
  unread: number;
  markRead(id: string): Promise<boolean>;
} {
  const client = useSwitchboard();
  const messages = useSyncExternalStore(
    client?.inbox.onChange ?? nothing,
    () => client?.inbox.messages() ?? NO_MESSAGES,
    () => NO_MESSAGES,
  );
  return useMemo(
    () => ({
      messages,
      unread: messages.filter(({ read }) => !read).length,
      markRead: (id) => client?.inbox.markRead(id) ?? Promise.resolve(false),
    }),
    [client, messages],
  );
}
