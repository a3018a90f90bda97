import { moved } from '@switchboard/engine';
import { serveCalls } from '@switchboard/runtime/threads';
import type { ThreadCalls } from './calls.ts';
import { MailTooComplex, readMail } from './read.ts';

/** The entry point of the worker thread. See `createMailReader`. */

serveCalls<ThreadCalls>({
  async read(raw) {
    const before = process.threadCpuUsage();
    const outcome = await readMail(raw).catch((error: unknown) => {
      if (error instanceof MailTooComplex) return { tooComplex: error.message };
      throw error;
    });
    const { user, system } = process.threadCpuUsage(before);
    const files = 'attachments' in outcome ? outcome.attachments : [];
    return moved(
      { outcome, cpuMs: (user + system) / 1_000 },
      files.map(({ bytes }) => bytes),
    );
  },
});
