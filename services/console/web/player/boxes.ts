import { type BoxTexts, isObject } from './messages.ts';

/** The attribute with the text of a box, which stands for a part that is not shown. */
export const BOX = 'data-switchboard-box';
/** The attribute of an element that shows the recorded document of a frame of the same origin. */
export const FRAME = 'data-switchboard-frame';

/** Elements that are replaced by a box with a text. */
export const BOXES: Record<string, keyof BoxTexts> = {
  iframe: 'frames',
  frame: 'frames',
  frameset: 'frames',
  fencedframe: 'frames',
  object: 'frames',
  embed: 'frames',
  applet: 'frames',
  audio: 'media',
  video: 'media',
  canvas: 'canvases',
};

/** The rules of boxes and frames, unless those of the recorded page say more. */
export const BOX_RULES = [
  `:where([${BOX}]) { display: inline-block; box-sizing: border-box; min-width: 40px; min-height: 40px; width: 300px; height: 150px; max-width: 100%; overflow: hidden; border: 1px dashed #888; background: #8882; }`,
  `[${BOX}]::after { content: attr(${BOX}); display: block; padding: 8px; font: 12px/16px system-ui, sans-serif; color: #555; background: #fffc; }`,
  `:where([${FRAME}]) { display: inline-block; box-sizing: border-box; width: 300px; height: 150px; max-width: 100%; border: 1px solid #888; }`,
  // Elements with a fixed position stay inside the frame.
  `[${FRAME}] { overflow: auto; contain: layout paint; }`,
];

/** The rules inside a frame. Nothing of the page around it is inherited. */
export const FRAME_RULES = ['html { all: initial; display: block; }', ...BOX_RULES].join('\n');

/** Returns the size that the attributes of an element give it, as rrweb takes it. */
export function boxSize({ width, height }: Record<string, unknown>): Record<string, unknown> {
  const lengthOf = (value: unknown) => {
    const [, number, percent] = /^(\d+)(?:px|(%))?$/.exec(String(value)) ?? [];
    return number && `${number}${percent ?? 'px'}`;
  };
  const [rr_width, rr_height] = [lengthOf(width), lengthOf(height)];
  return { ...(rr_width && { rr_width }), ...(rr_height && { rr_height }) };
}

/** Returns the host of a page of another origin in a frame. */
export function hostOf(attributes: unknown): string | undefined {
  const address = isObject(attributes) ? attributes['rr_src'] : undefined;
  const url = typeof address === 'string' ? URL.parse(address) : null;
  return url === null || url.host === '' ? undefined : url.host;
}
