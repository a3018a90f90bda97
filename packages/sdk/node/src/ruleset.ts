import { compileRuleset, type Flag, type Ruleset } from '@switchboard/flag-engine';
import { backoffMs, type Transport } from './transport.ts';

/** A compiled snapshot. */
export interface Known {
  generatedAt: string;
  ruleset: Ruleset;
  /** The JSON of each flag by key, to detect which ones change. */
  definitions: ReadonlyMap<string, string>;
}

interface FollowOptions {
  host: string;
  key: string;
  transport: Transport;
  onChange(known: Known, before: Known | undefined): void;
}

export interface Following {
  known(): Known | undefined;
  close(): void;
}

/** The interval at which the ruleset is read while the socket is not open. */
const POLL_MS = 30_000;
const CHECK_MS = 300_000;
/**
 * The server sends a beat every 30 s. A connection that is silent for longer is dead, although it appears open.
 */
const SILENT_MS = 75_000;
const REFUSED = [4401, 4403];

/**
 * Keeps a project's ruleset up to date: reads the snapshot, receives changes on the socket, and polls every 30 s
 * without one.
 */
export function followRuleset({ host, key, transport, onChange }: FollowOptions): Following {
  let known: Known | undefined;
  let etag: string | undefined;
  let socket: WebSocket | undefined;
  let socketUrl: string | undefined;
  let isSocketOpen = false;
  /** The last change received from the socket. */
  let told = '';
  let socketFailures = 0;
  let readFailures = 0;
  let isReading = false;
  let isClosed = false;
  let pollTimer: NodeJS.Timeout | undefined;
  let socketTimer: NodeJS.Timeout | undefined;
  let silenceTimer: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    if (isReading || isClosed) return;
    isReading = true;
    clearTimeout(pollTimer);
    try {
      // An intermediate cache may be older than the change received from the socket.
      const headers = {
        'Cache-Control': 'no-cache',
        ...(etag === undefined ? {} : { 'If-None-Match': etag }),
      };
      const response = await transport.get(`${host}/v1/flags/snapshot`, headers);
      const text = await response.text();
      if (response.status !== 304) {
        if (!response.ok) throw new Error(`the snapshot request got status ${response.status}`);
        take(JSON.parse(text));
        etag = response.headers.get('ETag') ?? undefined;
      }
      readFailures = 0;
    } catch {
      readFailures += 1;
    }
    isReading = false;
    if (socket === undefined && socketUrl !== undefined && socketTimer === undefined) connect();
    schedule();
  }

  function schedule(): void {
    if (isClosed) return;
    const isBehind = known === undefined || known.generatedAt < told;
    const ms = readFailures > 0 || isBehind ? backoffMs(readFailures) : isSocketOpen ? CHECK_MS : POLL_MS;
    pollTimer = setTimeout(() => void read(), Math.min(ms, isSocketOpen ? CHECK_MS : POLL_MS));
    pollTimer.unref();
  }

  function take(snapshot: unknown): void {
    if (!isSnapshot(snapshot)) throw new Error('not a snapshot');
    socketUrl = snapshot.socketUrl;
    if (known !== undefined && known.generatedAt >= snapshot.generatedAt) return;
    const before = known;
    const { flags, generatedAt } = snapshot;
    known = {
      generatedAt,
      ruleset: compileRuleset(flags),
      definitions: new Map(flags.map((flag) => [flag.key, JSON.stringify(flag)])),
    };
    onChange(known, before);
  }

  function connect(): void {
    if (isClosed || socketUrl === undefined) return;
    socketTimer = undefined;
    const opened = socketTo(`${socketUrl}?api_key=${encodeURIComponent(key)}`);
    if (opened === undefined) return;
    socket = opened;
    hear();
    opened.addEventListener('message', ({ data }) => {
      if (socket !== opened) return;
      hear();
      isSocketOpen = true;
      socketFailures = 0;
      const generatedAt = generatedAtOf(data);
      if (generatedAt > told) told = generatedAt;
      if (known === undefined || known.generatedAt < told) void read();
    });
    opened.addEventListener('close', ({ code }) => {
      if (socket === opened) leave(!REFUSED.includes(code));
    });
    // The `close` event follows.
    opened.addEventListener('error', () => undefined);
  }

  /** Restarts the wait for the next message or beat of the server. */
  function hear(): void {
    clearTimeout(silenceTimer);
    silenceTimer = setTimeout(() => leave(true), SILENT_MS);
    silenceTimer.unref();
  }

  function leave(canReturn: boolean): void {
    clearTimeout(silenceTimer);
    const left = socket;
    socket = undefined;
    isSocketOpen = false;
    left?.close();
    clearTimeout(pollTimer);
    schedule();
    if (isClosed || !canReturn) return;
    socketTimer = setTimeout(connect, backoffMs(socketFailures++));
    socketTimer.unref();
  }

  void read();
  return {
    known: () => known,
    close() {
      isClosed = true;
      clearTimeout(pollTimer);
      clearTimeout(socketTimer);
      clearTimeout(silenceTimer);
      socket?.close();
    },
  };
}

/**
 * Opens a socket. Returns undefined without WebSocket, as in Node 20, or for an invalid URL. The ruleset is then
 * polled.
 */
function socketTo(url: string): WebSocket | undefined {
  try {
    return new WebSocket(url);
  } catch {
    return undefined;
  }
}

function generatedAtOf(data: unknown): string {
  try {
    const message: unknown = JSON.parse(String(data));
    if (typeof message === 'object' && message !== null && 'generatedAt' in message) {
      return String(message.generatedAt);
    }
  } catch {
    // The message is not from Switchboard.
  }
  return '';
}

interface Snapshot {
  flags: Flag[];
  generatedAt: string;
  socketUrl: string;
}

/** Checks only the envelope, because the engine accepts any entry of `flags`. */
function isSnapshot(value: unknown): value is Snapshot {
  if (typeof value !== 'object' || value === null) return false;
  if (!('flags' in value && 'generatedAt' in value && 'socketUrl' in value)) return false;
  const { flags, generatedAt, socketUrl } = value;
  return Array.isArray(flags) && typeof generatedAt === 'string' && typeof socketUrl === 'string';
}
