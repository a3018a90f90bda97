import { promisify } from 'node:util';
import { constants, gzip, zstdCompress, zstdCompressSync, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';

export type Compression = 'none' | 'gzip' | 'zstd';

const compressGzip = promisify(gzip);
const compressZstd = promisify(zstdCompress);
const decompressZstd = promisify(zstdDecompress);

/** Compressing this much takes 0.2 ms. Handing less to another thread would add up to twice that. */
const MAX_SYNC_BYTES = 131_072;

/** In decompressed bytes. */
const MIN_CHUNK_BYTES = 16_384;
const MAX_CHUNK_BYTES = 1_048_576;

/** Level 1 with small tables takes a third of the time for a batch of 50 kB. The result has the same size. */
const params = {
  [constants.ZSTD_c_compressionLevel]: 1,
  [constants.ZSTD_c_windowLog]: 17,
  [constants.ZSTD_c_hashLog]: 13,
};

/** Compresses bytes with a codec type of kafkajs. The bytes must not be changed until it is done. */
export function compress(bytes: Buffer, type: number): Buffer | Promise<Buffer> {
  if (type === kafkajs.CompressionTypes.GZIP) return compressGzip(bytes);
  // One output chunk needs one round trip to the other thread.
  const options = { params, chunkSize: 4096 + (bytes.length >> 1) };
  return bytes.length > MAX_SYNC_BYTES ? compressZstd(bytes, options) : zstdCompressSync(bytes, options);
}

const zstd = {
  compress: () => Promise.reject(new Error('kafkajs must not compress: records arrive compressed')),
  decompress: (buffer: Buffer) => {
    // Each output chunk is a round trip to the other thread.
    const chunkSize = Math.min(MAX_CHUNK_BYTES, MIN_CHUNK_BYTES + 8 * buffer.length);
    return decompressZstd(buffer, { chunkSize });
  },
};

/** Registers a codec that kafkajs lacks, in its process-wide registry, and returns its type. */
export function codecFor(compression: Compression): number {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
  if (compression === 'gzip') return CompressionTypes.GZIP;
  if (compression === 'zstd') return CompressionTypes.ZSTD;
  return CompressionTypes.None;
}
