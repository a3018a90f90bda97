import { readdir, readFile, writeFile } from 'node:fs/promises';

/** The total resource usage of a process and its children, from /proc (Linux). */
export interface ProcessUsage {
  /** Returns the CPU time of all threads so far, in seconds. */
  cpuSeconds(): Promise<number>;
  /** Returns the time in which the main threads could run but no core was free, in seconds. */
  waitedSeconds(): Promise<number>;
  /** Returns the current resident memory, in megabytes of a million bytes. */
  residentMb(): Promise<number>;
  /** Returns the highest resident memory since the start, or since `resetPeak`. */
  peakMb(): Promise<number>;
  resetPeak(): Promise<void>;
}

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export function processUsage(pid: number): ProcessUsage {
  const sum = async (read: (one: number) => Promise<number>) => {
    const values = await Promise.all((await familyOf(pid)).map(read));
    return values.reduce((total, value) => total + value, 0);
  };
  return {
    cpuSeconds: () => sum(cpuSeconds),
    waitedSeconds: () => sum(waitedSeconds),
    residentMb: () => sum((one) => memoryMb(one, 'VmRSS')),
    peakMb: () => sum((one) => memoryMb(one, 'VmHWM')),
    async resetPeak() {
      for (const one of await familyOf(pid)) await writeFile(`/proc/${one}/clear_refs`, '5');
    },
  };
}

/** Returns a process and all its descendants. */
async function familyOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  const children = lists.flatMap((list) => list.split(' ').filter(Boolean).map(Number));
  return [pid, ...(await Promise.all(children.map(familyOf))).flat()];
}

async function cpuSeconds(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

async function waitedSeconds(pid: number): Promise<number> {
  const [, nanoseconds] = (await readFile(`/proc/${pid}/schedstat`, 'utf8')).split(' ');
  return Number(nanoseconds) / 1e9;
}

async function memoryMb(pid: number, name: string): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
  return (Number(kilobytes) * 1024) / 1e6;
}
