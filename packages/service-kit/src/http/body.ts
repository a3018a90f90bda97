import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import type { ByteBudget } from '@switchboard/resilience';
import type { Context } from 'hono';
import { BadRequest, OVERLOADED, PayloadTooLarge, Unavailable, UnsupportedEncoding } from './errors.ts';

interface BodyBounds {
  /** Bound on the bytes on the wire. */
  maxWireBytes: number;
  /** Bound on the decompressed bytes. */
  maxBytes: number;
  /** Every byte read is reserved here. The caller releases `reserved` when it is done with the body. */
  budget: ByteBudget;
}

export interface Body {
  bytes: Buffer;
  reserved: number;
}

const gunzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<Buffer, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

type Decoder = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>;

const DECODERS = new Map<string, Decoder>([
  ['gzip', gunzip],
  ['x-gzip', gunzip],
  [
    'deflate',
    (bytes, options) => (hasZlibHeader(bytes) ? inflate(bytes, options) : inflateRaw(bytes, options)),
  ],
  ['br', brotli],
  ['zstd', zstd],
]);

/**
 * Reads and decompresses a request's body (gzip, deflate, br, zstd) within its bounds; a decompression bomb ends at
 * `maxBytes`. Throws PayloadTooLarge, UnsupportedEncoding, BadRequest (cannot be decompressed, or the connection was
 * lost) or Unavailable (the budget is used up). Nothing stays reserved when it throws.
 */
export async function readBody(c: Context, { maxWireBytes, maxBytes, budget }: BodyBounds): Promise<Body> {
  const encoding = (c.req.header('content-encoding') ?? 'identity').trim().toLowerCase();
  const decode = DECODERS.get(encoding);
  if (decode === undefined && encoding !== 'identity' && encoding !== '') {
    throw new UnsupportedEncoding(
      `Content-Encoding ${encoding.slice(0, 40)}: not supported. Send gzip, deflate, br, zstd or none.`,
    );
  }
  const limit = decode === undefined ? Math.min(maxWireBytes, maxBytes) : maxWireBytes;
  const wire = await readWire(c, limit, budget);
  if (decode === undefined) return wire;
  try {
    const bytes = await decode(wire.bytes, { maxOutputLength: maxBytes });
    budget.release(wire.reserved);
    wire.reserved = 0;
    reserve(budget, bytes.length);
    return { bytes, reserved: bytes.length };
  } catch (error) {
    budget.release(wire.reserved);
    if (isCode(error, 'ERR_BUFFER_TOO_LARGE')) throw tooLarge(maxBytes, ' when decompressed');
    if (error instanceof Error && 'errno' in error) throw new BadRequest(`body: not valid ${encoding}`);
    throw error;
  }
}

async function readWire(c: Context, limit: number, budget: ByteBudget): Promise<Body> {
  const declared = Number(c.req.header('content-length') ?? 0);
  if (declared > limit) throw tooLarge(limit);
  const chunks: Buffer[] = [];
  let reserved = 0;
  const take = (chunk: Buffer) => {
    if (reserved + chunk.length > limit) throw tooLarge(limit);
    reserve(budget, chunk.length);
    reserved += chunk.length;
    chunks.push(chunk);
  };
  try {
    const incoming: IncomingMessage | undefined = c.env?.incoming;
    await (incoming === undefined ? readWeb(c.req.raw.body, take) : readNode(incoming, take));
  } catch (error) {
    budget.release(reserved);
    throw error;
  }
  const only = chunks.length === 1 ? chunks[0] : undefined;
  return { bytes: only ?? Buffer.concat(chunks), reserved };
}

/** Node's own stream is much cheaper than the Request's web stream. The server discards what is left unread. */
function readNode(incoming: IncomingMessage, take: (chunk: Buffer) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      incoming.off('data', onData).off('end', resolve).off('close', onBroken);
      incoming.pause();
      reject(error);
    };
    const onData = (chunk: Buffer) => {
      try {
        take(chunk);
      } catch (error) {
        fail(error);
      }
    };
    // A broken request closes before it has ended; a complete one closes after the response.
    const onBroken = () => {
      if (!incoming.readableEnded)
        fail(new BadRequest('The connection was lost before the body was complete.'));
    };
    incoming.on('end', resolve).on('error', onBroken).on('close', onBroken).on('data', onData);
  });
}

async function readWeb(
  body: ReadableStream<Uint8Array> | null,
  take: (chunk: Buffer) => void,
): Promise<void> {
  if (body === null) return;
  for await (const chunk of body) take(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
}

function hasZlibHeader(bytes: Buffer): boolean {
  const [first = 0, second = 0] = bytes;
  return (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
}

function reserve(budget: ByteBudget, bytes: number): void {
  if (!budget.tryReserve(bytes)) throw new Unavailable(OVERLOADED);
}

function tooLarge(limit: number, when = ''): PayloadTooLarge {
  return new PayloadTooLarge(`body: larger than ${limit} bytes${when}`);
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
