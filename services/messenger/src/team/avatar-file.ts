import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import type { AvatarType } from '@switchboard/contracts';
import { detectFormat } from '../uploads/format.ts';

const EXTENSIONS: Record<AvatarType, string> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/webp': 'webp',
  'image/svg+xml': 'svg',
};

/** Returns the type of an avatar by its bytes. Undefined if it is not an allowed type. */
export function detectAvatarType(bytes: Buffer): AvatarType | undefined {
  const type = detectFormat(bytes);
  if (type === 'image/png' || type === 'image/jpeg' || type === 'image/webp') return type;
  return type === undefined && isSvg(bytes) ? 'image/svg+xml' : undefined;
}

/** Returns the file name of an avatar, which is the hash of its content. */
export function avatarFile(bytes: Buffer, type: AvatarType): string {
  return `${createHash('sha256').update(bytes).digest('hex')}.${EXTENSIONS[type]}`;
}

/** Whether the bytes are XML with the root element svg. Response headers restrict what it can do. */
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
