import { type Client, createClient, ManagementError } from '@switchboard/management';
import {
  hashKey,
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  type UseQueryResult,
  useInfiniteQuery,
  useMutation,
  useQuery,
} from '@tanstack/react-query';
import { createContext, useContext, useRef } from 'react';
import { forgetToken, getSession, SignedOut } from './session.ts';
import { note } from './state.ts';

const FRESH_MS = 10_000;
const ATTEMPTS = 2;
/** How long a page waits before it asks again, during an outage and until analytics has read the archive. */
const RETRY_MS = 5_000;
const NEVER = new Date(0).toISOString();

export const queries: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: readRoleAgain }),
  mutationCache: new MutationCache({
    onMutate: () => note({ refusal: undefined }),
    onError(error) {
      // A page that hides what the new role does not allow hides its own message as well.
      if (readRoleAgain(error)) note({ refusal: error.message.replace(/^[A-Z]+ \/\S+: /, '') });
    },
  }),
  defaultOptions: { queries: { staleTime: FRESH_MS, retry: isWorthRetrying } },
});

/** Reads the role again, which decides what pages show, if the error may come from a change of it. */
function readRoleAgain(error: Error): boolean {
  const isRefusal = error instanceof ManagementError && error.status === 403;
  if (isRefusal) void queries.invalidateQueries({ queryKey: ['getMe'] });
  return isRefusal;
}

/** The client retries busy services by itself. A lost connection, or the refusal of a new member, is tried again. */
function isWorthRetrying(failures: number, error: Error): boolean {
  if (error instanceof SignedOut) return false;
  if (error instanceof ManagementError && error.status !== undefined) {
    // Services learn of a membership shortly after its first sign-in.
    if (error.status === 403) return failures < ATTEMPTS;
    if (error.status !== 401 || failures > 0) return false;
    // The clock of a computer that slept may say that the token is still valid.
    forgetToken();
    return true;
  }
  return failures < ATTEMPTS;
}

/** Returns how often a query repeats: as it asks to, and until the API answers again and has read the archive. */
function repeatsAfter(refreshMs: number | undefined) {
  return ({ state: { data, error } }: { state: { data: unknown; error: Error | null } }) =>
    isOutage(error) || isUnread(data) ? RETRY_MS : (refreshMs ?? false);
}

/** Returns whether an answer was computed after a start of analytics, before it had read the archive. */
function isUnread(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'asOf' in data && data.asOf === NEVER;
}

function isOutage(error: Error | null): boolean {
  return error instanceof ManagementError && (error.status === undefined || error.status === 503);
}

let client: Promise<Client> | undefined;

/** Returns the typed client of the API, as the person who is signed in. */
export function api(): Promise<Client> {
  client ??= getSession().then(
    ({ hosts }) =>
      createClient({
        url: hosts.api,
        isConsole: true,
        token: async () => (await getSession()).token,
        retryForMs: 3_000,
      }),
    (error: unknown) => {
      client = undefined;
      throw error;
    },
  );
  return client;
}

/** Opens the client that the hooks below call. Pages of operators have another one. */
const ClientContext = createContext<() => Promise<Client>>(api);
export const ClientProvider = ClientContext.Provider;

interface CallOptions {
  signal: AbortSignal;
}

interface QuerySettings {
  /** False keeps the query from running, such as while its input is incomplete. */
  enabled?: boolean;
  /** Repeats the query while the page is visible. */
  refreshMs?: number;
}

/**
 * Calls the API and keeps the result under `key`: the operation's name, then its input. While the key changes, the
 * previous result stays.
 */
export function useCall<T>(
  key: readonly unknown[],
  call: (client: Client, options: CallOptions) => Promise<T>,
  { enabled = true, refreshMs }: QuerySettings = {},
): UseQueryResult<T> {
  const open = useContext(ClientContext);
  return useQuery({
    queryKey: key,
    queryFn: async ({ signal }) => call(await open(), { signal }),
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: repeatsAfter(refreshMs),
  });
}

interface PageOf<T> {
  items: readonly T[];
  nextCursor: string | null | undefined;
}

/** Reads a list page by page. `rows` are those of all pages so far; `more` reads the next one. */
export function useList<T>(
  key: readonly unknown[],
  call: (client: Client, cursor: { cursor?: string }, options: CallOptions) => Promise<PageOf<T>>,
  { enabled = true, refreshMs }: QuerySettings = {},
) {
  const open = useContext(ClientContext);
  const query = useInfiniteQuery({
    queryKey: key,
    initialPageParam: '',
    queryFn: async ({ signal, pageParam }) =>
      call(await open(), pageParam === '' ? {} : { cursor: pageParam }, { signal }),
    getNextPageParam: ({ nextCursor }: PageOf<T>) => nextCursor ?? undefined,
    placeholderData: keepPreviousData,
    enabled,
    refetchInterval: repeatsAfter(refreshMs),
  });
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  const rows = data?.pages.flatMap(({ items }) => items);
  const more = hasNextPage && !isFetchingNextPage ? () => void fetchNextPage() : undefined;
  return { query: { ...query, data: rows }, more };
}

interface ChangeSettings<V> {
  /** The keys of the queries to read again. */
  refresh: readonly (readonly unknown[])[];
  /** Shows the change before the API has answered. Returns what takes it back. See `showAtOnce`. */
  optimistic?: (variables: V) => () => void;
}

/** Refuses a function as variables: functions have no hash, so two changes at once would count as one. */
type Hashable<V> = [Extract<V, (...args: never[]) => unknown>] extends [never]
  ? unknown
  : { variables: 'must not be a function' };

/** Changes something, then reads the queries under `refresh` again. A double click makes one change. */
export function useChange<V, T>(
  call: (client: Client, variables: V) => Promise<T>,
  { refresh, optimistic }: ChangeSettings<V> & Hashable<V>,
) {
  const open = useContext(ClientContext);
  const running = useRef(new Map<string, Promise<T>>());
  const readAgain = () => Promise.all(refresh.map((queryKey) => queries.invalidateQueries({ queryKey })));
  return useMutation({
    mutationFn(variables: V) {
      const key = hashKey([variables]);
      const known = running.current.get(key);
      if (known !== undefined) return known;
      const change = open().then((client) => call(client, variables));
      running.current.set(key, change);
      return change.finally(() => running.current.delete(key));
    },
    onMutate: (variables) => optimistic?.(variables),
    onError(_error, _variables, takeBack) {
      if (takeBack === undefined) return;
      takeBack();
      void readAgain();
    },
    onSuccess: readAgain,
  });
}

/** Changes the data of a query that was read. Returns a function that restores it. */
export function showAtOnce<T>(queryKey: readonly unknown[], change: (data: T) => T): () => void {
  void queries.cancelQueries({ queryKey });
  const before = queries.getQueryData<T>(queryKey);
  if (before !== undefined) queries.setQueryData<T>(queryKey, change(before));
  return () => queries.setQueryData<T>(queryKey, before);
}
