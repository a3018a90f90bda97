import type { Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { createFairQueue } from '@switchboard/fairness';
import { BadRequest, PayloadTooLarge, UnsupportedEncoding } from '../exchange/errors.ts';
import { leastBytesOf, withWindowFor } from './brotli.ts';
import { join } from './join.ts';

interface DecodeOptions {
  /** Decoders begin with the waiting keys in rotation. */
  fairnessKey: string;
  /** The maximum size of the decompressed body. */
  maxBytes: number;
  /** Called with the minimum decompressed size of the body. Throws to reject it. */
  expect(bytes: number): void;
  /** Called with the length of each chunk before it is kept. Throws to reject it. */
  take(bytes: number): void;
}

export type Decode = (wire: Buffer, options: DecodeOptions) => Promise<Buffer>;

const CHUNK_BYTES = 65_536;
/** The size of Node's thread pool. Each decoder needs a window of up to 16 MiB. */
const MAX_CONCURRENT = 4;
/** Measured: 1,000 events with the same 13 kB of properties compress to 1/570. */
const MAX_RATIO = 1_000;
/** Any body may expand to this size: 1,000 events with the same 2 kB of properties compress to 1/500 or 1/800. */
const ALWAYS_ALLOWED_BYTES = 4 * 1_048_576;
/** 8 MiB, the largest window that RFC 9659 allows for the content coding. The decoder's own limit is 128 MiB. */
const ZSTD_WINDOW_LOG = 23;

const options = { chunkSize: CHUNK_BYTES };
const gunzip = () => zlib.createGunzip(options);
const DECODERS = new Map<string, (wire: Buffer) => Transform>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  ['deflate', (wire) => (hasZlibHeader(wire) ? zlib.createInflate(options) : zlib.createInflateRaw(options))],
  ['br', () => zlib.createBrotliDecompress(options)],
  [
    'zstd',
    () =>
      zlib.createZstdDecompress({
        ...options,
        params: { [zlib.constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG },
      }),
  ],
]);

/**
 * Returns a function that returns the decoder of a Content-Encoding, or undefined for none. It throws
 * UnsupportedEncoding. A decoder throws BadRequest for invalid bytes, and PayloadTooLarge as soon as they expand too
 * far.
 */
export function createDecoding(): (contentEncoding: string | undefined) => Decode | undefined {
  const queued = createFairQueue(MAX_CONCURRENT);

  return (contentEncoding = 'identity') => {
    const encoding = contentEncoding.trim().toLowerCase();
    if (encoding === 'identity' || encoding === '') return undefined;
    const decoder = DECODERS.get(encoding);
    if (decoder === undefined) {
      throw new UnsupportedEncoding(
        `Content-Encoding ${encoding.slice(0, 40)}: not supported. Send gzip, deflate, br, zstd or none.`,
      );
    }
    return async (sent, { fairnessKey, maxBytes, expect, take }) => {
      const isBrotli = encoding === 'br';
      const wire = isBrotli ? withWindowFor(maxBytes, sent) : sent;
      const limit = Math.max(ALWAYS_ALLOWED_BYTES, wire.length * MAX_RATIO);
      const check = (bytes: number) => {
        if (bytes <= limit) return;
        throw new PayloadTooLarge(`body: expands to more than ${MAX_RATIO} times its size as sent`);
      };
      let decoded = 0;
      const takeWithin = (bytes: number) => {
        take(bytes);
        decoded += bytes;
        check(decoded);
      };
      const work = () => {
        // The brotli decoder returns nothing before it has decompressed megabytes. The others return data as they
        // decode it.
        const least = isBrotli ? leastBytesOf(wire) : 0;
        expect(least);
        check(least);
        return decodeAll(decoder(wire), wire, takeWithin);
      };
      try {
        return await join(await queued(fairnessKey, work), fairnessKey);
      } catch (error) {
        throw isDecodingError(error) ? faultOf(error, encoding) : error;
      }
    };
  };
}

function decodeAll(decoder: Transform, wire: Buffer, take: (bytes: number) => void): Promise<Buffer[]> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    decoder
      .on('data', (chunk: Buffer) => {
        try {
          take(chunk.length);
          chunks.push(chunk);
        } catch (error) {
          decoder.destroy();
          reject(error);
        }
      })
      .on('end', () => resolve(chunks))
      .on('error', reject);
    decoder.end(wire);
  });
}

function hasZlibHeader(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function isDecodingError(error: unknown): error is Error {
  return error instanceof Error && 'errno' in error;
}

function faultOf(error: Error, encoding: string): BadRequest {
  if ('code' in error && error.code === 'ZSTD_error_frameParameter_windowTooLarge') {
    return new BadRequest('body: zstd window larger than 8 MiB. Compress it with a smaller window.');
  }
  return new BadRequest(`body: not valid ${encoding}`);
}
