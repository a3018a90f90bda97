/** The messages between the console and the document of the player. Neither side trusts the other. */

/** The parts of a recording that the player leaves out. */
export const UNSEEN = ['images', 'frames', 'media', 'canvases', 'styles', 'parts', 'events'] as const;
export type Unseen = Record<(typeof UNSEEN)[number], number>;

/** The texts on the boxes that stand for parts that are left out. */
export const BOXES = ['frames', 'media', 'canvases'] as const;
export type BoxTexts = Record<(typeof BOXES)[number], string>;

export type ToPlayer =
  /** Adds events: the JSON of an array. */
  | { kind: 'load'; events: string }
  /** Builds the page once all events are loaded. */
  | { kind: 'start'; at: number; speed: number; skip: boolean; images: boolean; texts: BoxTexts }
  | { kind: 'play' | 'pause'; at: number }
  | { kind: 'set'; speed: number; skip: boolean };

export type FromPlayer =
  | { kind: 'ready' | 'started' | 'finished' }
  | { kind: 'failed' }
  | { kind: 'time'; at: number }
  | { kind: 'size'; width: number; height: number }
  | { kind: 'unseen'; unseen: Unseen };

/** The longest JSON of a message, and of the events of a recording. */
export const MAX_MESSAGE_LENGTH = 4_000_000;
export const MAX_EVENT_LENGTH = 16_000_000;
export const MAX_LENGTH = 64_000_000;

const MAX_SIDE = 8_192;
const MIN_SIDE = 100;

/** Parses a message of the player. Returns undefined for any other. */
export function parseFromPlayer(data: unknown): FromPlayer | undefined {
  if (!isObject(data)) return undefined;
  const { kind } = data;
  switch (kind) {
    case 'ready':
    case 'started':
    case 'finished':
    case 'failed':
      return { kind };
    case 'time': {
      const { at } = data;
      return isNumber(at) && at >= 0 ? { kind, at } : undefined;
    }
    case 'size': {
      const { width, height } = data;
      return isNumber(width) && isNumber(height)
        ? { kind, width: side(width), height: side(height) }
        : undefined;
    }
    case 'unseen': {
      const { unseen } = data;
      if (!isObject(unseen)) return undefined;
      const parsed = noneUnseen();
      for (const name of UNSEEN) {
        const count = unseen[name];
        if (isNumber(count)) parsed[name] = Math.max(0, Math.floor(count));
      }
      return { kind, unseen: parsed };
    }
    default:
      return undefined;
  }
}

/** Parses a message of the console. Returns undefined for any other. */
export function parseToPlayer(data: unknown): ToPlayer | undefined {
  if (!isObject(data)) return undefined;
  const { kind, events, at, speed, skip, images, texts } = data;
  if (kind === 'load')
    return typeof events === 'string' && events.length <= MAX_EVENT_LENGTH + MAX_MESSAGE_LENGTH
      ? { kind, events }
      : undefined;
  if (kind === 'play' || kind === 'pause') return isNumber(at) ? { kind, at } : undefined;
  if (!isNumber(speed) || typeof skip !== 'boolean') return undefined;
  if (kind === 'set') return { kind, speed, skip };
  const isStart = kind === 'start' && isNumber(at) && typeof images === 'boolean';
  return isStart ? { kind, at, speed, skip, images, texts: textsOf(texts) } : undefined;
}

function textsOf(given: unknown): BoxTexts {
  const texts = isObject(given) ? given : {};
  const textOf = (name: (typeof BOXES)[number]) => String(texts[name] ?? '');
  return { frames: textOf('frames'), media: textOf('media'), canvases: textOf('canvases') };
}

export const noneUnseen = (): Unseen => ({
  ...{ images: 0, frames: 0, media: 0, canvases: 0 },
  ...{ styles: 0, parts: 0, events: 0 },
});

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isNumber = (value: unknown): value is number => typeof value === 'number' && Number.isFinite(value);

const side = (pixels: number) => Math.min(MAX_SIDE, Math.max(MIN_SIDE, Math.round(pixels)));
