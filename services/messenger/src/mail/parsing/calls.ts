import type { ReadMail } from './read.ts';

/** The calls to the thread. Errors lose their class between threads, so a refusal is a result. */
export interface ThreadCalls {
  read(raw: Uint8Array): Promise<{ outcome: ReadMail | { tooComplex: string }; cpuMs: number }>;
}

/**
 * Returns the buffers of bytes in a message to the other thread, which move there: copying megabytes takes milliseconds
 * of the event loop. Bytes that share a buffer with others are copied.
 */
export function buffersIn(message: unknown): ArrayBuffer[] {
  const found = new Set<ArrayBuffer>();
  const look = (value: unknown): void => {
    if (value instanceof Uint8Array) {
      const { buffer, byteLength } = value;
      if (buffer instanceof ArrayBuffer && buffer.byteLength === byteLength) found.add(buffer);
    } else if (typeof value === 'object' && value !== null) Object.values(value).forEach(look);
  };
  look(message);
  return [...found];
}
