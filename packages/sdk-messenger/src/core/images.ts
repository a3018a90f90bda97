/** Longest side in pixels and quality of what a picture is made into until it fits. */
const STEPS: [side: number, quality: number][] = [
  [2400, 0.85],
  [1600, 0.8],
  [1100, 0.75],
  [700, 0.7],
];
const SHRINKABLE = ['image/jpeg', 'image/png', 'image/webp'];

/** The file, or a smaller copy of a picture that is too large; undefined if it cannot be made to fit. */
export async function fit(file: File, maxBytes: number): Promise<Blob | undefined> {
  if (file.size <= maxBytes) return file;
  if (!SHRINKABLE.includes(file.type)) return undefined;
  for (const [side, quality] of STEPS) {
    const canvas = await drawn(file, side, 'white');
    const blob = await new Promise<Blob | null>((resolve) => {
      if (canvas === undefined) resolve(null);
      else canvas.toBlob(resolve, 'image/jpeg', quality);
    });
    if (blob === null) return undefined;
    if (blob.size <= maxBytes) return blob;
  }
  return undefined;
}

/**
 * The picture on a canvas whose sides are at most so long, which needs no permission of a content security policy, as
 * an address of the blob would. Undefined if it cannot be decoded.
 */
export async function drawn(
  blob: Blob,
  maxSide: number,
  background = 'transparent',
): Promise<HTMLCanvasElement | undefined> {
  try {
    const bitmap = await createImageBitmap(blob);
    const canvas = document.createElement('canvas');
    const scale = Math.min(1, maxSide / Math.max(bitmap.width, bitmap.height));
    canvas.width = Math.max(1, Math.round(bitmap.width * scale));
    canvas.height = Math.max(1, Math.round(bitmap.height * scale));
    const context = canvas.getContext('2d');
    if (context === null) return undefined;
    context.fillStyle = background;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.imageSmoothingQuality = 'high';
    context.drawImage(bitmap, 0, 0, canvas.width, canvas.height);
    bitmap.close();
    return canvas;
  } catch {
    return undefined;
  }
}
