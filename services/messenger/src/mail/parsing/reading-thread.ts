import { parentPort } from 'node:worker_threads';
import { createBirpc } from 'birpc';
import { buffersIn, type ThreadCalls } from './calls.ts';
import { MailTooComplex, readMail } from './read.ts';

/** The entry point of the worker thread. See `createMailReader`. */

const port = parentPort;
if (port === null) throw new Error('reading-thread.ts runs in a worker thread');

const calls: ThreadCalls = {
  async read(raw) {
    const before = process.threadCpuUsage();
    const outcome = await readMail(raw).catch((error: unknown) => {
      if (error instanceof MailTooComplex) return { tooComplex: error.message };
      throw error;
    });
    const { user, system } = process.threadCpuUsage(before);
    return { outcome, cpuMs: (user + system) / 1_000 };
  },
};

createBirpc<object, ThreadCalls>(calls, {
  post: (message) => port.postMessage(message, buffersIn(message)),
  on: (receive) => port.on('message', receive),
});
