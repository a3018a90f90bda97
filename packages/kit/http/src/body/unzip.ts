import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { type Reservation, yieldBriefly, yieldToLoop } from '@switchboard/fairness';
import { PayloadTooLarge } from '../exchange/errors.ts';
import { findItems, InvalidJson } from './items.ts';

/**
 * Returns the JSON in gzip that is a part of a body, such as a field. Returns undefined if the bytes are not gzip of
 * JSON. Throws PayloadTooLarge or Unavailable.
 */
export type Unzip = (gzip: Buffer) => Promise<Buffer | undefined>;

interface UnzipOptions {
  /** The reservation of the body. */
  reservation: Reservation;
  /** The key under which it yields. */
  fairnessKey: string;
  /** The limit of all parts of a body together. */
  maxBytes: number;
}

/** Decompressing more takes longer than handing it to Node's thread pool. */
const SMALL_BYTES = 65_536;
/** A header of 10 bytes, a block of 2, and a trailer of 8. */
const MIN_GZIP_BYTES = 20;
const SIZE_BYTES = 4;
/** A small part counts as many bytes as its decompression takes time. */
const MIN_COUNTED_BYTES = 1_000;
/** The most that deflate compresses. */
const MAX_RATIO = 1_032;
const MIN_CHUNK_BYTES = 64;

const gunzip = promisify(zlib.gunzip);
const noTurn = () => Promise.resolve();

/**
 * Returns a function that decompresses the parts of one body. Gzip ends with its decompressed size, so the size is
 * bounded and reserved first, and the decoder stops at it.
 */
export function createUnzip({ reservation, fairnessKey, maxBytes }: UnzipOptions): Unzip {
  let left = maxBytes;
  return async (gzip) => {
    if (gzip.length < MIN_GZIP_BYTES) return undefined;
    const size = gzip.readUInt32LE(gzip.length - SIZE_BYTES);
    if (size === 0 || size > gzip.length * MAX_RATIO) return undefined;
    const counted = Math.max(size, MIN_COUNTED_BYTES);
    if (counted > left)
      throw new PayloadTooLarge(`body: its compressed parts take more than ${maxBytes} bytes`);
    reservation.take(counted);
    left -= counted;
    // One byte more, so that the decoder need not ask whether more follows.
    const options = { maxOutputLength: size, chunkSize: Math.max(MIN_CHUNK_BYTES, size + 1) };
    const isSmall = size <= SMALL_BYTES;
    const turn = isSmall ? yieldBriefly(fairnessKey) : undefined;
    if (turn !== undefined) await turn;
    try {
      const json = isSmall ? zlib.gunzipSync(gzip, options) : await gunzip(gzip, options);
      if (!isUtf8(json)) return undefined;
      await findItems(json, '', isSmall ? noTurn : () => yieldToLoop(fairnessKey));
      return json;
    } catch (error) {
      if (error instanceof InvalidJson || isDecodingError(error)) return undefined;
      throw error;
    }
  };
}

const isDecodingError = (error: unknown): boolean =>
  error instanceof Error && ('errno' in error || ('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE'));
