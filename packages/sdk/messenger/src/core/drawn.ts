/**
 * Draws the picture on a canvas with limited sides. Unlike a blob URL, a canvas needs no permission of a content
 * security policy. Returns undefined if the picture cannot be decoded.
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
