import type { ReadMail } from './read.ts';

/** The calls to the thread. Errors lose their class between threads, so a refusal is a result. */
export interface ThreadCalls {
  read(raw: Uint8Array): Promise<{ outcome: ReadMail | { tooComplex: string }; cpuMs: number }>;
}
