import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompress } from 'node:zlib';
import kafkajs from 'kafkajs';

export type Compression = 'none' | 'gzip' | 'zstd';

const compressZstd = promisify(zstdCompress);
const decompressZstd = promisify(zstdDecompress);

/** kafkajs knows gzip itself. Node's own Zstandard works off the main thread. */
const zstd = {
  compress: (encoder: { buffer: Buffer }) =>
    compressZstd(encoder.buffer, { params: { [constants.ZSTD_c_compressionLevel]: 1 } }),
  decompress: (buffer: Buffer) => decompressZstd(buffer),
};

/** Registers what kafkajs lacks (its registry is global to the process) and names its codec. */
export function codecFor(compression: Compression): number {
  const { CompressionCodecs, CompressionTypes } = kafkajs;
  CompressionCodecs[CompressionTypes.ZSTD] = () => zstd;
  if (compression === 'gzip') return CompressionTypes.GZIP;
  if (compression === 'zstd') return CompressionTypes.ZSTD;
  return CompressionTypes.None;
}
