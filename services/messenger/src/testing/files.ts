import { crc32, deflateSync } from 'node:zlib';

/** Small files of each type, built here so that every byte is known. */

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** Creates a PNG with a header that states this size. Its image data is one pixel. */
export function png(width = 1, height = 1): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 255, 0, 0, 255]))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Creates a PNG padded to this many bytes after its end. */
export function pngOf(bytes: number): Buffer {
  const small = png();
  return Buffer.concat([small, Buffer.alloc(bytes - small.length)]);
}

export function gif(width = 1, height = 1): Buffer {
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen[4] = 0x80;
  const frame = Buffer.alloc(10);
  frame[0] = 0x2c;
  frame.writeUInt16LE(width, 5);
  frame.writeUInt16LE(height, 7);
  return Buffer.concat([
    Buffer.from('GIF89a'),
    screen,
    Buffer.from([0, 0, 0, 255, 255, 255]),
    Buffer.from([0x21, 0xf9, 4, 0, 0, 0, 0, 0]),
    frame,
    Buffer.from([2, 2, 0x44, 1, 0, 0x3b]),
  ]);
}

export function jpeg(width = 1, height = 1): Buffer {
  const segment = (marker: number, data: number[]) => {
    const length = data.length + 2;
    return Buffer.from([0xff, marker, length >> 8, length & 255, ...data]);
  };
  const size = [height >> 8, height & 255, width >> 8, width & 255];
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, [...Buffer.from('JFIF\0'), 1, 1, 0, 0, 1, 0, 1, 0, 0]),
    segment(0xdb, [0, ...Buffer.alloc(64, 1)]),
    segment(0xc0, [8, ...size, 1, 1, 0x11, 0]),
    segment(0xc4, [0, ...Buffer.alloc(16, 0)]),
    segment(0xda, [1, 1, 0, 0, 63, 0]),
    Buffer.from([0x7f, 0xff, 0xd9]),
  ]);
}

/** Creates a lossless WebP. */
export function webp(width = 1, height = 1): Buffer {
  const data = Buffer.alloc(12);
  data[0] = 0x2f;
  data.writeUInt32LE(((width - 1) | ((height - 1) << 14)) >>> 0, 1);
  return riff('VP8L', data);
}

/** Creates a lossy WebP. */
export function webpLossy(width = 1, height = 1): Buffer {
  const data = Buffer.alloc(12);
  data.set([0x10, 0, 0, 0x9d, 0x01, 0x2a]);
  data.writeUInt16LE(width, 6);
  data.writeUInt16LE(height, 8);
  return riff('VP8 ', data);
}

/** Creates an extended WebP: its canvas, then an image. */
export function webpExtended(width = 1, height = 1): Buffer {
  const data = Buffer.alloc(10);
  data.writeUIntLE(width - 1, 4, 3);
  data.writeUIntLE(height - 1, 7, 3);
  return riff('VP8X', Buffer.concat([data, Buffer.from('VP8L\0\0\0\0')]), 10);
}

function riff(type: string, data: Buffer, length = data.length): Buffer {
  const head = Buffer.alloc(20);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(12 + data.length, 4);
  head.write(`WEBP${type}`, 8, 'latin1');
  head.writeUInt32LE(length, 16);
  return Buffer.concat([head, data]);
}

export const pdf = Buffer.from(
  '%PDF-1.7\n1 0 obj<</Type/Catalog/OpenAction<</S/JavaScript/JS(app.alert(1))>>>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF',
);

export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script><circle r="1"/></svg>',
);

/** Creates a form with one file, as a browser sends it. */
export async function multipartForm(file: Buffer): Promise<{ contentType: string; bytes: Buffer }> {
  const form = new FormData();
  form.append('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'x.png');
  const request = new Request('http://localhost', { method: 'POST', body: form });
  const bytes = Buffer.from(await request.arrayBuffer());
  return { contentType: request.headers.get('content-type') ?? '', bytes };
}
