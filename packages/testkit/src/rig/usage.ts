import { readdir, readFile, writeFile } from 'node:fs/promises';

/** What a process and its children use together, from /proc (Linux). */
export interface ProcessUsage {
  /** CPU time of all its threads so far, in seconds. */
  cpuSeconds(): Promise<number>;
  /** Time in which its main threads could run and no core was free, in seconds. */
  waitedSeconds(): Promise<number>;
  /** Resident memory now, in megabytes of a million bytes. */
  residentMb(): Promise<number>;
  /** The highest resident memory since the start, or since `resetPeak`. */
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

/** A process and its children, and theirs. */
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
