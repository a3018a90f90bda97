import { moved } from '@switchboard/engine';
import { serveCalls } from '../threads/index.ts';

export interface TestCalls {
  /** Returns the bytes reversed, in the same buffer. */
  reverse(bytes: Uint8Array): Promise<Uint8Array>;
  /** Asks the owner. */
  ask(): Promise<string>;
  hang(): Promise<never>;
  /** Takes all memory that the thread may have. */
  exhaust(): Promise<never>;
}

const owner = serveCalls<TestCalls, { answer(): string }>({
  async reverse(bytes) {
    bytes.reverse();
    return moved(bytes, [bytes]);
  },
  ask: (): Promise<string> => owner.answer(),
  hang: () => new Promise(() => undefined),
  async exhaust() {
    const held: string[][] = [];
    for (;;) held.push(Array.from({ length: 100_000 }, (_, at) => `${held.length} ${at}`));
  },
});
