/** Returns the UTF-8 bytes of a text. As with TextEncoder, a lone surrogate becomes U+FFFD. */
export function utf8(text: string): number[] {
  const bytes: number[] = [];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) {
      bytes.push(unit);
      continue;
    }
    const point = text.codePointAt(index) ?? unit;
    if (point > 0xffff) index++;
    pushMultibyte(bytes, point >= 0xd800 && point <= 0xdfff ? 0xfffd : point);
  }
  return bytes;
}

function pushMultibyte(bytes: number[], point: number) {
  const continuation = (shift: number) => 0x80 | ((point >> shift) & 0x3f);
  if (point < 0x800) bytes.push(0xc0 | (point >> 6), continuation(0));
  else if (point < 0x10000) bytes.push(0xe0 | (point >> 12), continuation(6), continuation(0));
  else bytes.push(0xf0 | (point >> 18), continuation(12), continuation(6), continuation(0));
}
