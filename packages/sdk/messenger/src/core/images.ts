import { drawn } from './drawn.ts';
import { isAnimated } from './formats.ts';

export { formatOf } from './formats.ts';

/** The longest side in pixels and the quality of each attempt to make a picture small enough. */
const STEPS: [side: number, quality: number][] = [
  [2400, 0.85],
  [1600, 0.8],
  [1100, 0.75],
  [700, 0.7],
];
const COPY = 'image/jpeg';

/** A file as it is sent. */
export interface Fitted {
  blob: Blob;
  name: string;
}

/**
 * Returns the file with its type, or a smaller JPEG copy of a picture that is too large. Undefined if it cannot be
 * made small enough, as for documents and animated pictures.
 */
export async function fit(file: File, type: string, maxBytes: number): Promise<Fitted | undefined> {
  if (file.size <= maxBytes) return { blob: file.slice(0, file.size, type), name: file.name };
  if (!type.startsWith('image/') || (await isAnimated(file, type))) return undefined;
  for (const [side, quality] of STEPS) {
    const canvas = await drawn(file, side, 'white');
    const blob = await new Promise<Blob | null>((resolve) => {
      if (canvas === undefined) resolve(null);
      else canvas.toBlob(resolve, COPY, quality);
    });
    if (blob === null) return undefined;
    if (blob.size <= maxBytes)
      return { blob, name: type === COPY ? file.name : `${file.name.replace(/\.[^.]*$/, '')}.jpg` };
  }
  return undefined;
}
