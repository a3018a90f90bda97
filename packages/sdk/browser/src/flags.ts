import { flagValue } from './flag-value.ts';
import type { Listeners } from './listeners.ts';
import type { CountUse } from './page/usage.ts';
import type { Notes } from './queue.ts';
import { type LiveSocket, openSocket } from './socket.ts';
import { isObject, type Storage } from './storage.ts';
import { backoffMs, type Transport } from './transport.ts';
import type { FlagsClient, FlagValue, Options } from './types.ts';

const POLL_MS = 30_000;
const READY_MS = 5_000;
const TOKEN_MS = 60_000;

interface Values {
  flags: Readonly<Record<string, unknown>>;
  variants: Readonly<Record<string, unknown>>;
}

interface FlagsOptions {
  key: string;
  host: string;
  bootstrap: Options['bootstrap'];
  /** Whether to report which flags are used. */
  usage: boolean | undefined;
  transport: Transport;
  listeners: Listeners;
  /** Undefined if the storage is memory. */
  storage: Storage | undefined;
  /** The distinct id. Empty without consent, and then nothing is read. */
  distinctId(): string;
  /** Sends this tab's identify and group calls. */
  settle(): Promise<void>;
  notes(): Promise<Notes>;
  note(notes: Notes): Promise<void>;
}

export interface FlagsControl {
  client: FlagsClient;
  /** Reads the values again if they are in use. */
  refresh(): void;
  /** Removes the values of another person. */
  forget(): void;
  /** Reads missed changes when the page becomes visible or online again. */
  wake(): void;
  pause(): void;
  resume(): void;
}

export function createFlags(options: FlagsOptions): FlagsControl {
  const {
    key,
    host,
    bootstrap,
    usage = true,
    transport,
    listeners,
    storage,
    distinctId,
    settle,
    notes,
    note,
  } = options;
  let values: Values = { flags: bootstrap?.flags ?? {}, variants: bootstrap?.variants ?? {} };
  /** The distinct id that the values belong to. Undefined for bootstrap values. */
  let of: string | undefined;
  /** The time of the last change of the rules, as received from the socket. */
  let told: unknown;
  let isUsed = false;
  let loading: Promise<void> | undefined;
  let again = false;
  let socket: LiveSocket | undefined;
  let failedReads = 0;
  let counting: Promise<CountUse | undefined> | undefined;
  const timers = new Set<ReturnType<typeof setTimeout>>();

  function later(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      timers.delete(timer);
      run();
    }, ms);
    timers.add(timer);
  }

  function set(next: Values): void {
    if (JSON.stringify(next) === JSON.stringify(values)) return;
    values = next;
    listeners.call();
  }

  /** Starts reading on the first use. */
  function start(): void {
    if (isUsed) return;
    isUsed = true;
    // The values that the server evaluated for this page are newer.
    const kept = distinctId() === '' || bootstrap !== undefined ? undefined : storage?.read('flags');
    if (
      isObject(kept) &&
      kept['of'] === distinctId() &&
      isObject(kept['flags']) &&
      isObject(kept['variants'])
    ) {
      values = { flags: kept['flags'], variants: kept['variants'] };
      of = distinctId();
      told = kept['told'];
    }
    resume();
  }

  function resume(): void {
    if (!isUsed || distinctId() === '' || timers.size > 0) return;
    void load();
    connect();
    poll();
  }

  function poll(): void {
    later(POLL_MS, () => {
      if (socket?.isOpen !== true && document.visibilityState === 'visible') void load();
      poll();
    });
  }

  function connect(): void {
    if (usage)
      counting ??= import('./page/usage.ts').then(
        ({ createUsage }) => createUsage(options),
        () => undefined,
      );
    socket = openSocket({
      url: `${host.replace(/^http/, 'ws')}/v1/flags/socket?api_key=${encodeURIComponent(key)}`,
      onMessage(data) {
        const message = parsed(data);
        const changedAt = isObject(message) ? message['generatedAt'] : undefined;
        if (typeof changedAt !== 'string' || changedAt === told) return;
        told = changedAt;
        // A random delay spreads the requests of all clients. A second read covers instances that receive the change
        // later.
        later(Math.random() * 300, () => void load());
        later(3_000 + Math.random() * 2_000, () => void load());
      },
    });
  }

  /** Counts a use of a flag, or of all, unless this client is closed or has no consent. */
  function used(name?: string): void {
    const at = values;
    if (socket !== undefined) void counting?.then((count) => count?.(at, name));
  }

  function pause(): void {
    for (const timer of timers) clearTimeout(timer);
    timers.clear();
    socket?.close();
    socket = undefined;
  }

  function load(): Promise<void> {
    if (loading !== undefined) {
      again = true;
      return loading;
    }
    loading = read()
      .then(
        () => {
          failedReads = 0;
        },
        () => later(backoffMs(failedReads++), () => void load()),
      )
      .finally(() => {
        loading = undefined;
      });
    return loading;
  }

  async function read(): Promise<void> {
    await settle();
    again = false;
    const id = distinctId();
    if (id === '') return;
    const { tokens, tokensAt = 0 } = await notes();
    const isFresh = Math.abs(Date.now() - tokensAt) < TOKEN_MS;
    const token = isFresh && tokens !== undefined ? Object.values(tokens).join() : '';
    const response = await transport.get(
      `${host}/v1/flags?distinct_id=${encodeURIComponent(id)}${usage ? '&usage=reported' : ''}`,
      token === '' ? {} : { 'X-State-Token': token },
    );
    if (response.status === 429 || response.status >= 500) throw new Error(`${response.status}`);
    const body: unknown = response.ok ? await response.json() : undefined;
    if (isObject(body) && isObject(body['flags']) && isObject(body['variants']) && id === distinctId()) {
      const state = response.headers.get('X-State');
      // Values evaluated without the person's state are worse than the known ones.
      if (state !== 'unavailable' || of !== id) {
        of = id;
        set({ flags: body['flags'], variants: body['variants'] });
        storage?.write('flags', { of, told, ...values });
      }
      if (state !== null && token !== '') later(1_000, () => void load());
      else if (token !== '' && (await notes()).tokensAt === tokensAt) await note({ tokens: {} });
    }
    if (again) await read();
  }

  return {
    pause,
    resume,
    refresh: () => void (isUsed && load()),
    wake() {
      if (!isUsed) return;
      socket?.wake();
      void load();
    },
    forget() {
      storage?.remove('flags');
      of = undefined;
      set({ flags: {}, variants: {} });
    },
    client: {
      get<K extends string, V>(name: K, fallback: V): FlagValue<K, V> {
        start();
        used(name);
        return flagValue(values.flags, name, fallback);
      },
      all(isUse = true) {
        start();
        if (isUse) used();
        return values.flags;
      },
      used,
      variant(name) {
        start();
        used(name);
        const variant = values.variants[name];
        return typeof variant === 'string' ? variant : undefined;
      },
      async ready() {
        start();
        await Promise.race([load(), new Promise((resolve) => setTimeout(resolve, READY_MS))]);
      },
      onChange(listener) {
        start();
        return listeners.add(listener);
      },
    },
  };
}

function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return undefined;
  }
}
