import { connect } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

/** Flags with which a process reports the delay of its event loop, in the folder LOOP_DELAY_FOLDER. */
export const LOOP_DELAY_FLAGS = ['--import', join(import.meta.dirname, 'loop-delay-process.ts')];

/** Returns the longest block of a process's event loop since the last call, in milliseconds. */
export async function longestDelayMs(folder: string, pid: number): Promise<number> {
  return Number(await text(connect(socketPath(folder, pid))));
}

export const socketPath = (folder: string, pid: number) => join(folder, `loop-${pid}.sock`);
