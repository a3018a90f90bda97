'use client';

import { type Client, type Flags, type FlagValue, flagValue, type InboxMessage } from '@switchboard/browser';
import {
  createContext,
  createElement,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';

type AllFlags = Readonly<Record<string, unknown>>;

export interface SwitchboardProviderProps {
  /** Created with `init`. Undefined on the server. */
  client: Client | undefined;
  /**
   * The flags that the server evaluated (`GET /v1/flags`), used for rendering on the server and for the first
   * render in the browser. Pass the same to `init`.
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

/** Provides a client to the hooks below it. */
export function SwitchboardProvider({ client, bootstrap, children }: SwitchboardProviderProps): ReactElement {
  const flags = bootstrap?.flags ?? NO_FLAGS;
  const value = useMemo(() => ({ client, bootstrap: flags }), [client, flags]);
  return createElement(CONTEXT.Provider, { value }, children);
}

/** Returns the client. Undefined on the server and without a provider. */
export function useSwitchboard(): Client | undefined {
  return useContext(CONTEXT).client;
}

/** Returns every flag of the current person. Renders again when one changes. */
export function useFlags(): AllFlags {
  const client = useSwitchboard();
  const flags = useValues();
  useEffect(() => {
    for (const key of Object.keys(flags)) client?.flags.used(key);
  }, [client, flags]);
  return flags;
}

function useValues(): AllFlags {
  const { client, bootstrap } = useContext(CONTEXT);
  return useSyncExternalStore(
    client?.flags.onChange ?? nothing,
    () => client?.flags.all(false) ?? bootstrap,
    () => bootstrap,
  );
}

/** Returns the value of a flag, or the fallback, like `flags.get` of the client. Renders again when it changes. */
export function useFlag<K extends keyof Flags | (string & {}), V>(
  key: K,
  fallback: V,
): FlagValue<K & string, V> {
  const client = useSwitchboard();
  const value = flagValue(useValues(), key, fallback);
  // Counts values that are shown, and not renders.
  useEffect(() => {
    if (value !== undefined) client?.flags.used(key);
  }, [client, key, value]);
  return value;
}

/**
 * Returns the client's `track`, which does nothing on the server. The function is the same as long as the client is.
 */
export function useTrack(): Client['track'] {
  const client = useSwitchboard();
  return useCallback(
    (name, properties) => client?.track(name, properties) ?? Promise.resolve(undefined),
    [client],
  );
}

/** Returns the in-app messages of the current person. Renders again when they change. Empty on the server. */
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
