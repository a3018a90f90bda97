const BEFORE = 60;
const LENGTH = 200;

/** Returns up to 200 characters of a text around the first word of a search. */
export function excerptOf(text: string, searched: string): string {
  const folded = text.toLowerCase();
  const words = searched.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  const places = words.map((word) => folded.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(
    0,
    Math.min(...places, text.length) === text.length ? 0 : Math.min(...places) - BEFORE,
  );
  const cut = text.slice(start, start + LENGTH).toWellFormed();
  return `${start > 0 ? '…' : ''}${cut}${start + LENGTH < text.length ? '…' : ''}`;
}
