import { giveScratch, takeScratch } from '@switchboard/engine';
import type { OutgoingRecord } from '../../types.ts';
import { compress } from '../codecs.ts';
import { crc32c } from './crc32c.ts';
import { varintLength, Writer } from './writer.ts';

/** The records of one partition, and the producer identity by which the broker recognizes them. */
interface BatchToEncode {
  records: readonly OutgoingRecord[];
  producerId: string;
  producerEpoch: number;
  firstSequence: number;
  /** A compression type of kafkajs, which uses the numbers of the protocol. */
  compression: number;
}

const MAGIC = 2;
const LENGTH_AT = 8;
const CRC_AT = 17;
const ATTRIBUTES_AT = 21;
const HEADER_BYTES = 61;
/** The bytes of a batch that its length field does not count. */
const BEFORE_LENGTH = LENGTH_AT + 4;

/** Upper bounds of the bytes written in addition to a record's texts and value, and to a header's. */
const RECORD_OVERHEAD = 40;
const HEADER_OVERHEAD = 10;
const MAX_BYTES_PER_UNIT = 3;

/** Encodes a record batch of the Kafka protocol, version 2. Its records have the time of this call. */
export function encodeBatch(batch: BatchToEncode): Buffer | Promise<Buffer> {
  const { records, compression } = batch;
  const room = HEADER_BYTES + boundOf(records);
  if (compression > 0) return encodeCompressed(batch, room);
  return finish(writeRecords(Buffer.allocUnsafe(room), records), batch);
}

async function encodeCompressed(batch: BatchToEncode, room: number): Promise<Buffer> {
  const { records, compression } = batch;
  const scratch = takeScratch(room);
  try {
    const packing = compress(writeRecords(scratch, records).subarray(HEADER_BYTES), compression);
    // A small batch is not awaited, so its scratch buffer is free for the next batch immediately.
    const body = packing instanceof Promise ? await packing : packing;
    const whole = Buffer.allocUnsafe(HEADER_BYTES + body.length);
    body.copy(whole, HEADER_BYTES);
    return finish(whole, batch);
  } finally {
    giveScratch(scratch);
  }
}

/** Writes the records and leaves room for the header. */
function writeRecords(buffer: Buffer, records: readonly OutgoingRecord[]): Buffer {
  const writer = new Writer(buffer, HEADER_BYTES);
  for (let index = 0; index < records.length; index++) {
    const record = records[index];
    if (record !== undefined) writeRecord(writer, record, index);
  }
  return writer.written();
}

function boundOf(records: readonly OutgoingRecord[]): number {
  let bytes = 0;
  for (const { key, value, headers } of records) {
    let units = key?.length ?? 0;
    bytes += RECORD_OVERHEAD + (value?.length ?? 0);
    for (const name in headers) {
      units += name.length + (headers[name]?.length ?? 0);
      bytes += HEADER_OVERHEAD;
    }
    bytes += units * MAX_BYTES_PER_UNIT;
  }
  return bytes;
}

/** The typical size in bytes of a record's key and headers. */
const LIKELY_TEXTS = 200;

function writeRecord(writer: Writer, { key, value, headers }: OutgoingRecord, index: number): void {
  const start = writer.at;
  const room = varintLength((value?.length ?? 0) + LIKELY_TEXTS);
  writer.at += room;
  writer.byte(0); // attributes
  writer.varint(0); // the time relative to the batch's
  writer.varint(index);
  if (key === null) writer.varint(-1);
  else writer.text(key);
  if (value === null) writer.varint(-1);
  else writer.bytes(value);
  writer.varint(countOf(headers));
  for (const name in headers) {
    writer.text(name);
    writer.text(headers[name] ?? '');
  }
  writer.lengthAt(start, room);
}

function countOf(headers: OutgoingRecord['headers']): number {
  let count = 0;
  for (const _ in headers) count++;
  return count;
}

/** Writes the header of a batch over its first bytes. */
function finish(
  whole: Buffer,
  { records, producerId, producerEpoch, firstSequence, compression }: BatchToEncode,
): Buffer {
  const now = BigInt(Date.now());
  whole.writeBigInt64BE(0n, 0); // the offset, which the broker assigns
  whole.writeInt32BE(whole.length - BEFORE_LENGTH, LENGTH_AT);
  whole.writeInt32BE(0, LENGTH_AT + 4); // the leader epoch
  whole.writeInt8(MAGIC, CRC_AT - 1);
  whole.writeInt16BE(compression, ATTRIBUTES_AT);
  whole.writeInt32BE(records.length - 1, ATTRIBUTES_AT + 2);
  whole.writeBigInt64BE(now, ATTRIBUTES_AT + 6);
  whole.writeBigInt64BE(now, ATTRIBUTES_AT + 14);
  whole.writeBigInt64BE(BigInt(producerId), ATTRIBUTES_AT + 22);
  whole.writeInt16BE(producerEpoch, ATTRIBUTES_AT + 30);
  whole.writeInt32BE(firstSequence, ATTRIBUTES_AT + 32);
  whole.writeInt32BE(records.length, ATTRIBUTES_AT + 36);
  whole.writeUInt32BE(crc32c(whole, ATTRIBUTES_AT), CRC_AT);
  return whole;
}
