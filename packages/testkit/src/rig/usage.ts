import { readFile, writeFile } from 'node:fs/promises';

/** What a process uses, from /proc (Linux). */
export interface ProcessUsage {
  /** CPU time of all its threads so far, in seconds. */
  cpuSeconds(): Promise<number>;
  /** Resident memory now, in megabytes of a million bytes. */
  residentMb(): Promise<number>;
  /** The highest resident memory since the start, or since `resetPeak`. */
  peakMb(): Promise<number>;
  resetPeak(): Promise<void>;
}

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100;

export function processUsage(pid: number): ProcessUsage {
  const status = async (name: string) => {
    const text = await readFile(`/proc/${pid}/status`, 'utf8');
    const kilobytes = new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1];
    return (Number(kilobytes) * 1024) / 1e6;
  };
  return {
    async cpuSeconds() {
      const text = await readFile(`/proc/${pid}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
    },
    residentMb: () => status('VmRSS'),
    peakMb: () => status('VmHWM'),
    resetPeak: () => writeFile(`/proc/${pid}/clear_refs`, '5'),
  };
}
