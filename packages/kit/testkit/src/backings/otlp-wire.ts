/** Reads the OTLP messages of traces in protobuf, limited to the fields that tests use. */

export interface ReceivedSpan {
  service: string;
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: 'internal' | 'server' | 'client' | 'producer' | 'consumer';
  attributes: Record<string, unknown>;
  links: { traceId: string; spanId: string }[];
  isError: boolean;
}

const KINDS = ['internal', 'internal', 'server', 'client', 'producer', 'consumer'] as const;
const ERROR = 2n;

/** The values of a message's fields by field number: bytes, or a number as on the wire. */
type Fields = Map<number, (Buffer | bigint)[]>;

/** Returns the spans of an ExportTraceServiceRequest. */
export function spansOf(request: Buffer): ReceivedSpan[] {
  return messages(request, 1).flatMap((resourceSpans) => {
    const resource = attributesOf(messages(resourceSpans, 1)[0] ?? Buffer.alloc(0), 1);
    const service = String(resource['service.name']);
    return messages(resourceSpans, 2).flatMap((scopeSpans) =>
      messages(scopeSpans, 2).map((span) => spanOf(span, service)),
    );
  });
}

function spanOf(span: Buffer, service: string): ReceivedSpan {
  const fields = read(span);
  const status = messages(span, 15)[0];
  return {
    service,
    traceId: hex(fields, 1),
    spanId: hex(fields, 2),
    parentSpanId: hex(fields, 4),
    name: bytes(fields, 5).toString(),
    kind: KINDS[Number(number(fields, 6))] ?? 'internal',
    attributes: attributesOf(span, 9),
    links: messages(span, 13).map((link) => ({ traceId: hex(read(link), 1), spanId: hex(read(link), 2) })),
    isError: status !== undefined && number(read(status), 3) === ERROR,
  };
}

function attributesOf(message: Buffer, field: number): Record<string, unknown> {
  return Object.fromEntries(
    messages(message, field).map((pair) => {
      const value = read(messages(pair, 2)[0] ?? Buffer.alloc(0));
      const text = value.get(1)?.[0];
      return [bytes(read(pair), 1).toString(), text === undefined ? Number(number(value, 3)) : String(text)];
    }),
  );
}

function messages(message: Buffer, field: number): Buffer[] {
  return (read(message).get(field) ?? []).filter((value) => Buffer.isBuffer(value));
}

const bytes = (fields: Fields, field: number): Buffer => {
  const value = fields.get(field)?.[0];
  return Buffer.isBuffer(value) ? value : Buffer.alloc(0);
};
const number = (fields: Fields, field: number): bigint => {
  const value = fields.get(field)?.[0];
  return typeof value === 'bigint' ? value : 0n;
};
const hex = (fields: Fields, field: number): string => bytes(fields, field).toString('hex');

/** Parses a message: https://protobuf.dev/programming-guides/encoding */
function read(message: Buffer): Fields {
  const fields: Fields = new Map();
  let at = 0;
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = message.readUInt8(at++);
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const next = (wireType: number): Buffer | bigint => {
    switch (wireType) {
      case 0:
        return varint();
      case 1:
        at += 8;
        return message.readBigUInt64LE(at - 8);
      case 2: {
        const length = Number(varint());
        at += length;
        return message.subarray(at - length, at);
      }
      case 5:
        at += 4;
        return BigInt(message.readUInt32LE(at - 4));
      default:
        throw new Error(`no protobuf: wire type ${wireType}`);
    }
  };
  while (at < message.length) {
    const tag = Number(varint());
    const field = tag >> 3;
    fields.set(field, [...(fields.get(field) ?? []), next(tag & 7)]);
  }
  return fields;
}
