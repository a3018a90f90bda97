import { codePoints, DISRUPTIVE_CHARACTERS } from '@switchboard/contracts';
import { BadRequest } from '@switchboard/http';

const MAX_NAME_LENGTH = 200;

/** Removes the path and (bidirectional) control characters of a file name. Returns `file` if nothing is left. */
export function cleanName(given: string): string {
  const name = (
    given.toWellFormed().replaceAll(DISRUPTIVE_CHARACTERS, '').split(/[/\\]/).at(-1) ?? ''
  ).trim();
  if (codePoints(name) > MAX_NAME_LENGTH) {
    throw new BadRequest(`name: longer than ${MAX_NAME_LENGTH} characters`);
  }
  return /^\.*$/.test(name) ? 'file' : name;
}

/** Returns a header of RFC 6266. Images are inline, anything else is a download. The name is in UTF-8 (RFC 8187). */
export function contentDisposition(name: string, contentType: string): string {
  const disposition = contentType.startsWith('image/') ? 'inline' : 'attachment';
  const encoded = encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename*=UTF-8''${encoded}`;
}
