import type { IncomingMessage } from 'node:http';
import { type ByteBudget, createReservations, type Reservation, type Shortage } from '@switchboard/fairness';
import type { Context } from 'hono';
import type { Exchange } from '../exchange/env.ts';
import { BadRequest, OVERLOADED, PayloadTooLarge, Unavailable } from '../exchange/errors.ts';
import { headerOf } from '../exchange/request-info.ts';
import { fairnessKeyOf, fairnessKeyOfProject } from '../overload/fairness-key.ts';
import { createPace, type Pace } from '../overload/pace.ts';
import { createDecoding, type Decode } from './decoding.ts';
import { join } from './join.ts';

interface BodyBounds {
  /** The maximum number of decompressed bytes. */
  maxBytes: number;
  /** The maximum number of bytes on the wire. Default: maxBytes. */
  maxWireBytes?: number;
  /** Text that is appended to the message of a 413. */
  hint?: string;
}

/** Reads the request bodies of an app. Every byte counts against its budget. */
export interface Bodies {
  /** Returns the reservation of a request, for its address and project. The caller releases it. */
  reserve(c: Context): Reservation;
  /**
   * Reads and decompresses a request's body (gzip, deflate, br, zstd) within its bounds. Throws PayloadTooLarge,
   * UnsupportedEncoding, BadRequest (invalid compression, or a lost connection), TooSlow or Unavailable (the budget
   * is used up).
   */
  read(c: Context, reservation: Reservation, bounds: BodyBounds): Promise<Buffer>;
  /** Decompresses a body that turned out to be gzip, although no header says so. Throws as `read`. */
  gunzip(c: Context, reservation: Reservation, wire: Buffer, bounds: BodyBounds): Promise<Buffer>;
}

const MESSAGES: Readonly<Record<Shortage, string>> = {
  share: 'Too many bytes in flight from this address or project. Retry after the time in Retry-After.',
  budget: OVERLOADED,
};

/** Returns the 503 of a request that does not fit into MAX_BYTES_IN_FLIGHT. */
const shortage = (reason: Shortage): Unavailable => new Unavailable(MESSAGES[reason]);

export function createBodies(budget: ByteBudget): Bodies {
  const open = createReservations(budget, shortage);
  const pace = createPace();
  const decoding = createDecoding();

  return {
    reserve(c) {
      const { address, projectId, operation }: Exchange = c.env;
      const reservation = open(`address ${address}`);
      if (projectId !== undefined) reservation.join(fairnessKeyOfProject(projectId));
      // Replay chunks are the largest bodies. A shared fairness key leaves room for events, regardless of the number of
      // chunks.
      if (operation?.host === 'replay') reservation.join('replay');
      return reservation;
    },

    async read(c, reservation, { maxBytes, maxWireBytes = maxBytes, hint = '' }) {
      const decode = decoding(headerOf(c, 'content-encoding'));
      const wireLimit = decode === undefined ? Math.min(maxWireBytes, maxBytes) : maxWireBytes;
      const announced = Number(headerOf(c, 'content-length') ?? 0);
      if (announced > wireLimit) throw tooLarge(wireLimit, hint);
      // Rejects a body that will not fit before it is read, which saves time for other requests.
      reservation.expect(announced);
      let wireBytes = 0;
      const chunks = await readWire(c, pace, (bytes) => {
        wireBytes += bytes;
        if (wireBytes > wireLimit) throw tooLarge(wireLimit, hint);
        reservation.take(bytes);
      });
      const [only] = chunks;
      const isWhole = chunks.length === 1 && only !== undefined;
      if (isWhole && decode === undefined) return only;
      const wire = isWhole ? only : await join(chunks, fairnessKeyOf(c.env));
      return decode === undefined ? wire : decompress(c, reservation, { wire, decode, maxBytes, hint });
    },

    async gunzip(c, reservation, wire, { maxBytes, hint = '' }) {
      const decode = decoding('gzip');
      return decode === undefined ? wire : decompress(c, reservation, { wire, decode, maxBytes, hint });
    },
  };
}

interface Compressed {
  wire: Buffer;
  decode: Decode;
  maxBytes: number;
  hint: string;
}

async function decompress(
  c: Context,
  reservation: Reservation,
  { wire, decode, maxBytes, hint }: Compressed,
): Promise<Buffer> {
  let decodedBytes = 0;
  const check = (bytes: number) => {
    if (bytes > maxBytes) throw tooLarge(maxBytes, ` when decompressed${hint}`);
  };
  const decoded = await decode(wire, {
    fairnessKey: fairnessKeyOf(c.env),
    maxBytes,
    expect(bytes) {
      check(bytes);
      reservation.expect(bytes);
    },
    take(bytes) {
      decodedBytes += bytes;
      check(decodedBytes);
      reservation.take(bytes);
    },
  });
  reservation.give(wire.length);
  return decoded;
}

const tooLarge = (limit: number, more: string) =>
  new PayloadTooLarge(`body: larger than ${limit} bytes${more}`);

/** Called with the length of each chunk before it is kept. Throws to reject it. */
type Take = (bytes: number) => void;

/** Reads Node's own stream, which is much cheaper than the Request's web stream. The server discards unread bytes. */
function readWire(c: Context, pace: Pace, take: Take): Promise<Buffer[]> {
  const incoming: IncomingMessage | undefined = c.env?.incoming;
  return incoming === undefined ? readWeb(c.req.raw.body, take) : readNode(incoming, pace, take);
}

function readNode(incoming: IncomingMessage, pace: Pace, take: Take): Promise<Buffer[]> {
  // If the connection ended while access was checked, no further event arrives.
  if (incoming.destroyed) return Promise.reject(connectionLost());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const fail = (error: unknown) => {
      pace.end(reading);
      incoming.off('data', onData).off('end', onEnd).off('close', onBroken);
      incoming.pause();
      reject(error);
    };
    const reading = pace.begin(fail);
    const onData = (chunk: Buffer) => {
      reading.received += chunk.length;
      try {
        take(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        fail(error);
      }
    };
    const onEnd = () => {
      pace.end(reading);
      resolve(chunks);
    };
    // An incomplete request closes before `end`; a complete one closes after the response.
    const onBroken = () => {
      if (!incoming.readableEnded) fail(connectionLost());
    };
    incoming.on('end', onEnd).on('error', onBroken).on('close', onBroken).on('data', onData);
  });
}

const connectionLost = () => new BadRequest('The connection was lost before the body was complete.');

async function readWeb(body: ReadableStream<Uint8Array> | null, take: Take): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of body ?? []) {
    take(chunk.byteLength);
    chunks.push(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
  }
  return chunks;
}
