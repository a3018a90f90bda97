import { codePoints, DISRUPTIVE_CHARACTERS } from '@switchboard/contracts';
import { BadRequest } from '@switchboard/service-kit';

const MAX_NAME_LENGTH = 200;

/** The file name without path, control and bidirectional control characters; `file` if nothing is left. */
export function cleanName(given: string): string {
  const name = (
    given.toWellFormed().replaceAll(DISRUPTIVE_CHARACTERS, '').split(/[/\\]/).at(-1) ?? ''
  ).trim();
  if (codePoints(name) > MAX_NAME_LENGTH) {
    throw new BadRequest(`name: longer than ${MAX_NAME_LENGTH} characters`);
  }
  return /^\.*$/.test(name) ? 'file' : name;
}

/** RFC 6266: images are inline, anything else is a download; the name is in UTF-8 (RFC 8187). */
export function contentDisposition(name: string, contentType: string): string {
  const disposition = contentType.startsWith('image/') ? 'inline' : 'attachment';
  const encoded = encodeURIComponent(name).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${disposition}; filename*=UTF-8''${encoded}`;
}
