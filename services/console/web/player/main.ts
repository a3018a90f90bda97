import type { Replayer } from '@rrweb/replay';
import type { eventWithTime } from '@rrweb/types';
import {
  type FromPlayer,
  isObject,
  MAX_LENGTH,
  noneUnseen,
  parseToPlayer,
  type ToPlayer,
} from './messages.ts';
import { createReplayer } from './replayer.ts';
import { createSanitiser } from './sanitise.ts';

/** The document of the player: no origin, no connections. The console sends it events and commands. */

const TICK_MS = 100;

const unseen = noneUnseen();
let pieces: string[] = [];
let length = 0;
let replayer: Replayer | undefined;
/** The time of the first page. There is nothing to show before. */
let firstAt = 0;
let isPlaying = false;
let failures = 0;
const MAX_FAILURES = 100;
const FULL_SNAPSHOT = 2;

// The type of a sandboxed document's origin is opaque, but its address is the console's.
const send = (message: FromPlayer) => window.parent.postMessage(message, location.origin);

addEventListener('message', ({ source, origin, data }) => {
  if (source !== window.parent || origin !== location.origin) return;
  const message = parseToPlayer(data);
  if (message === undefined) return;
  try {
    obey(message);
  } catch {
    fail();
  }
});

// An event that rrweb cannot play is left out.
addEventListener('error', () => {
  unseen.events++;
  if (++failures > MAX_FAILURES) return fail();
  if (isPlaying) replayer?.play(replayer.getCurrentTime() + 1);
});

document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
  if (effectiveDirective === 'img-src') unseen.images++;
  else if (effectiveDirective.startsWith('style-src') || effectiveDirective === 'font-src') unseen.styles++;
});

function fail(): void {
  isPlaying = false;
  send({ kind: 'failed' });
}

function obey(message: ToPlayer): void {
  switch (message.kind) {
    case 'load':
      length += message.events.length;
      if (length <= MAX_LENGTH * 2) pieces.push(message.events);
      return;
    case 'start':
      start(message);
      return;
    case 'set':
      replayer?.setConfig({ speed: message.speed, skipInactive: message.skip });
      return;
    case 'play':
      isPlaying = true;
      replayer?.play(Math.max(firstAt, message.at));
      return;
    case 'pause':
      isPlaying = false;
      replayer?.pause(Math.max(firstAt, message.at));
      return;
  }
}

function start({ at, speed, skip, images, texts }: ToPlayer & { kind: 'start' }): void {
  if (replayer !== undefined) return;
  const sanitiser = createSanitiser({ images, unseen, texts });
  const events: eventWithTime[] = [];
  for (const piece of pieces) {
    const parsed: unknown = JSON.parse(piece);
    for (const given of Array.isArray(parsed) ? parsed : []) {
      const event = sanitiser.event(given);
      if (event !== undefined) events.push(event);
      // Other types of events have nothing to show.
      else if (isObject(given) && Number(given['type']) <= 4 && !isUnshown(given)) unseen.events++;
    }
  }
  pieces = [];
  const first = events.find(({ type }) => type === FULL_SNAPSHOT);
  if (first === undefined) {
    fail();
    return;
  }
  firstAt = first.timestamp - (events[0]?.timestamp ?? 0) + 1;
  replayer = createReplayer(events);
  replayer.on('resize', (size) => send({ kind: 'size', ...sizeOf(size) }));
  replayer.on('finish', () => {
    isPlaying = false;
    send({ kind: 'finished' });
  });
  replayer.setConfig({ speed, skipInactive: skip });
  replayer.pause(Math.max(firstAt, at));
  send({ kind: 'started' });
  setInterval(tick, TICK_MS);
}

/** Whether an event changes a canvas, media, a font, a selection or a custom element, none of which is shown. */
const isUnshown = ({ data }: Record<string, unknown>) =>
  isObject(data) && [7, 9, 10, 11, 14, 16].includes(Number(data['source']));

function sizeOf(size: unknown): { width: number; height: number } {
  const { width, height } = isObject(size) ? size : {};
  return { width: Number(width), height: Number(height) };
}

let sent = '';
function tick(): void {
  const text = JSON.stringify(unseen);
  if (text !== sent) send({ kind: 'unseen', unseen });
  sent = text;
  if (isPlaying && replayer !== undefined) send({ kind: 'time', at: replayer.getCurrentTime() });
}

send({ kind: 'ready' });
