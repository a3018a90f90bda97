import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AvatarType } from '@switchboard/contracts';
import { detectFormat } from '../attachments/format.ts';

const extensions: Record<AvatarType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
};

/** The type of a picture by its bytes; undefined when it is none an avatar may be. */
export function detectPicture(bytes: Buffer): AvatarType | undefined {
  const type = detectFormat(bytes);
  if (type === 'image/png' || type === 'image/jpeg' || type === 'image/webp') return type;
  return type === undefined && isSvg(bytes) ? 'image/svg+xml' : undefined;
}

/** The name under which a picture is found: its content. */
export function fileOf(bytes: Buffer, type: AvatarType): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${extensions[type]}`;
}

/** XML whose first element is svg. What it may do is bounded by the headers it is answered with. */
function isSvg(bytes: Buffer): boolean {
  if (!isUtf8(bytes)) return false;
  let text = bytes.toString('utf8').replace(/^\ufeff/, '');
  for (;;) {
    text = text.trimStart();
    const end = /^<\?/.test(text) ? '?>' : text.startsWith('<!--') ? '-->' : undefined;
    if (end === undefined) break;
    const at = text.indexOf(end);
    if (at < 0) return false;
    text = text.slice(at + end.length);
  }
  return /^(<!DOCTYPE\s+svg\b[^>[]*>\s*)?<svg[\s/>]/.test(text) && /(<\/svg\s*>|\/>)\s*$/.test(text);
}
