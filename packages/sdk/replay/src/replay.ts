import { record } from '@rrweb/record';
import type { eventWithTime } from '@rrweb/types';
import type { Client } from '@switchboard/browser';
import { BLOCKED, MASKED } from '@switchboard/browser/privacy';
import { toJson } from '@switchboard/browser/transport';
import { consolePlugin } from './console.ts';
import { createRedact } from './redact.ts';
import { type Chunk, createUploads, type Uploads } from './uploads.ts';

/** The reason why a recording ended. Replay never throws into the page. */
export interface ReplayError {
  message: string;
  /** The status of the response, if there was one. */
  status?: number;
}

export interface ReplayOptions {
  /**
   * Whether to mask the values of all inputs. Even if false, passwords are masked, and hidden inputs and chosen
   * files are omitted. Default: true.
   */
  masked?: boolean;
  /** Whether to treat the whole page as marked with `data-switchboard-mask`. Default: false. */
  maskText?: boolean;
  /** Whether to record the texts of the console and uncaught errors. They are not masked. Default: false. */
  console?: boolean;
  onError?: (error: ReplayError) => void;
}

export interface Replay {
  /** Whether the page is being recorded: with consent, until `stop` or an error. */
  readonly isRecording: boolean;
  /** Ends the recording and sends the remaining data. */
  stop(): void;
}

const SDK = 'replay 0.1.0';
const FIRST_CHUNK_MS = 1_000;
const CHUNK_MS = 5_000;
const MAX_CHUNK_LENGTH = 1_000_000;
/** The time without input of the visitor after which changes of the page are omitted. */
const IDLE_MS = 5 * 60_000;
const MAX_LEFT_LENGTH = 2_000_000;

/** The types of rrweb's events and sources that indicate activity of the visitor. */
const INCREMENTAL = 3;
const INPUT_SOURCES: readonly number[] = [1, 2, 3, 5, 6, 12];

/**
 * Records this page with rrweb until `stop`, while there is consent. Omits elements with `data-switchboard-block` and
 * masks those with `data-switchboard-mask`, including the shadow roots and frames in them.
 */
export function startReplay(client: Client, options: ReplayOptions = {}): Replay {
  const { masked = true, maskText = false, console = false } = options;
  const { key, replayHost, storage } = client.options;
  const redact = createRedact({ masked, maskText });
  const place = `switchboard:${key}:replay`;
  let recording: Recording | undefined;
  let isOver = false;

  interface Recording {
    uploads: Uploads;
    stop(): void;
    flush(): void;
  }

  function end(error?: ReplayError): void {
    recording?.stop();
    recording = undefined;
    if (error === undefined) return;
    isOver = true;
    try {
      options.onError?.(error);
    } catch {
      // An error in the page's own code.
    }
  }

  function begin(): Recording {
    const uploads = createUploads({
      key,
      url: replayHost,
      transport: client.transport,
      onFailure: (message, status) => end({ message, ...(status !== undefined && { status }) }),
    });
    const kept = readPlace();
    let session = client.sessionId;
    let seq = kept.session === session ? kept.seq : 0;
    let events: string[] = [];
    let length = 0;
    let seenAt = Date.now();
    let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(flush, FIRST_CHUNK_MS);
    for (const chunk of kept.left) uploads.add(chunk);

    function flush(): void {
      clearTimeout(timer);
      timer = undefined;
      if (events.length === 0) return;
      const fields = {
        distinct_id: client.distinctId,
        session_id: session,
        seq,
        masked,
        schema_version: 1,
        sdk: SDK,
        timestamp: new Date().toISOString(),
      };
      const body = `${JSON.stringify(fields).slice(0, -1)},"events":[${events.join()}]}`;
      const chunk = { session, seq, body };
      seq += 1;
      events = [];
      length = 0;
      write({ session, seq, left: [] });
      uploads.add(chunk);
    }

    function emit(event: eventWithTime): void {
      if (isInput(event)) {
        const isBack = Date.now() - seenAt > IDLE_MS;
        seenAt = Date.now();
        const current = client.sessionId;
        if (current !== session) {
          flush();
          session = current;
          seq = 0;
          record.takeFullSnapshot(true);
        } else if (isBack) record.takeFullSnapshot(true); // it includes the changes made since
      }
      if (event.type === INCREMENTAL && Date.now() - seenAt > IDLE_MS) return;
      try {
        if (redact(event)) push(event);
      } catch (error) {
        // No recording is better than one with content that must be omitted.
        end({ message: String(error) });
      }
    }

    function push(event: eventWithTime): void {
      const json = toJson(event);
      events.push(json);
      length += json.length;
      if (length > MAX_CHUNK_LENGTH) flush();
      else timer ??= setTimeout(flush, CHUNK_MS);
    }

    const stopRecording = record({
      emit,
      maskAllInputs: masked,
      maskInputOptions: { password: true },
      maskTextSelector: maskText ? '*' : `${MASKED},${MASKED} *`,
      blockSelector: BLOCKED,
      slimDOMOptions: 'all',
      plugins: console ? [consolePlugin] : [],
      sampling: { mousemove: 100, scroll: 200, input: 'last' },
    });
    const stops = [
      () => stopRecording?.(),
      client.onTrack((name) => record.addCustomEvent('switchboard.event', { name })),
    ];
    return {
      uploads,
      flush,
      stop() {
        for (const stop of stops) stop();
        if (client.consent === 'granted') flush();
        else uploads.close();
        clearTimeout(timer);
      },
    };
  }

  function readPlace(): { session: string; seq: number; left: Chunk[] } {
    const none = { session: '', seq: 0, left: [] };
    if (storage === 'memory') return none;
    try {
      return { ...none, ...JSON.parse(sessionStorage.getItem(place) ?? '{}') };
    } catch {
      return none;
    }
  }

  function write(value: object): void {
    if (storage === 'memory') return;
    try {
      sessionStorage.setItem(place, toJson(value));
    } catch {
      // Storage is full or blocked.
    }
  }

  function follow(): void {
    try {
      if (client.consent !== 'granted') {
        end();
        if (storage !== 'memory') sessionStorage.removeItem(place);
      } else if (!isOver) {
        recording ??= begin();
        // The recording failed with its first snapshot.
        if (isOver) end();
      }
    } catch (error) {
      end({ message: String(error) });
    }
  }

  /** Stores chunks that may not be received for the next page of this tab. */
  function leave(): void {
    if (recording === undefined) return;
    recording.flush();
    const left = recording.uploads.sendLast();
    const length = left.reduce((sum, { body }) => sum + body.length, 0);
    if (length <= MAX_LEFT_LENGTH) write({ ...readPlace(), left });
  }

  const stopLeaving = client.onLeave(leave);
  const stopFollowing = client.onChange(follow);
  follow();

  return {
    get isRecording() {
      return recording !== undefined;
    },
    stop() {
      isOver = true;
      stopFollowing();
      stopLeaving();
      end();
    },
  };
}

function isInput(event: eventWithTime): boolean {
  return event.type === INCREMENTAL && INPUT_SOURCES.includes(event.data.source);
}
