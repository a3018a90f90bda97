import { promisify } from 'node:util';
import * as zlib from 'node:zlib';
import { LRUCache } from 'lru-cache';

export type Encoding = 'identity' | 'gzip' | 'br';
export type Bytes = Uint8Array<ArrayBuffer>;

const gzip = promisify<Buffer, zlib.ZlibOptions, Buffer>(zlib.gzip);
const brotli = promisify<Buffer, zlib.BrotliOptions, Buffer>(zlib.brotliCompress);

/** Higher qualities take seconds for a large body and save a few percent. */
const BROTLI_QUALITY = 6;

/** Encodes a body in every supported encoding. */
export async function encodeAll(text: string): Promise<Record<Encoding, Bytes>> {
  const body = Buffer.from(text);
  const [gzipped, br] = await Promise.all([
    gzip(body, { level: 9 }),
    brotli(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  ]);
  return { identity: new Uint8Array(body), gzip: new Uint8Array(gzipped), br: new Uint8Array(br) };
}

/** Caches the result by header, since clients send only a few distinct values. */
const choices = new LRUCache<string, Encoding>({ max: 100 });

/** Returns the smallest encoding allowed by Accept-Encoding (RFC 9110, 12.5.3). */
export function chooseEncoding(accepted: string | undefined): Encoding {
  if (accepted === undefined || accepted === '') return 'identity';
  const known = choices.get(accepted);
  if (known !== undefined) return known;
  const chosen = parseAccepted(accepted);
  choices.set(accepted, chosen);
  return chosen;
}

function parseAccepted(accepted: string): Encoding {
  const weights = new Map(accepted.toLowerCase().split(',').map(parseChoice));
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? (encoding === 'identity' ? 0.0001 : (weights.get('*') ?? 0));
  const order: Encoding[] = ['br', 'gzip', 'identity'];
  return order.reduce((best, next) => (weightOf(next) > weightOf(best) ? next : best));
}

function parseChoice(choice: string): [string, number] {
  const [name = '', ...parameters] = choice.split(';').map((part) => part.trim());
  const quality = parameters.find((parameter) => parameter.startsWith('q='));
  const weight = quality === undefined ? 1 : Number(quality.slice(2));
  return [name, Number.isNaN(weight) ? 0 : weight];
}
