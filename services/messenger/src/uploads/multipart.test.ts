import { expect, test } from 'vitest';
import { gif, jpeg, multipartForm, pdf, png, svg, webp } from '../testing/files.ts';
import { isMultipartForm } from './multipart.ts';

test('recognises a multipart form by its bytes', async () => {
  const { bytes } = await multipartForm(png());
  expect(isMultipartForm(bytes)).toBe(true);
  const curl =
    '--------------------------0123456789abcdef\r\nContent-Disposition: form-data; name="f"\r\n\r\nx';
  expect(isMultipartForm(Buffer.from(curl))).toBe(true);
  const typeFirst = '--b\r\nContent-Type: image/png\r\ncontent-disposition: form-data; name=f\r\n\r\nx';
  expect(isMultipartForm(Buffer.from(typeFirst))).toBe(true);
});

test.each([
  ['a PNG', png()],
  ['a JPEG', jpeg()],
  ['a WebP', webp()],
  ['a GIF', gif()],
  ['a PDF', pdf],
  ['an SVG', svg],
  ['nothing', Buffer.alloc(0)],
  ['text that starts with dashes', Buffer.from('---\r\ntitle: x\r\n---')],
  ['a part without its boundary', Buffer.from('Content-Disposition: form-data; name="f"')],
])('does not recognise %s as a multipart form', (_, bytes) => {
  expect(isMultipartForm(bytes)).toBe(false);
});
