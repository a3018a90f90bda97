import { codePoints } from '@switchboard/contracts';
import { BadRequest } from '@switchboard/service-kit';

const LONGEST = 200;

/** Control characters, line separators, and the marks that turn the direction of text. */
const UNFIT = /[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** A file's name without path parts, control characters and bidi marks; `file` when nothing is left. */
export function cleanName(given: string): string {
  const name = (given.toWellFormed().replaceAll(UNFIT, '').split(/[/\\]/).at(-1) ?? '').trim();
  if (codePoints(name) > LONGEST) throw new BadRequest(`name: longer than ${LONGEST} characters`);
  return /^\.*$/.test(name) ? 'file' : name;
}

/** RFC 6266: a picture is shown in place, anything else is saved; the name in UTF-8 (RFC 8187). */
export function contentDisposition(name: string, contentType: string): string {
  const how = contentType.startsWith('image/') ? 'inline' : 'attachment';
  const encoded = encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${how}; filename*=UTF-8''${encoded}`;
}
