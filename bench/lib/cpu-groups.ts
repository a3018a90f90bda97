import { mkdir, readFile, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually } from '@switchboard/testkit';

const CGROUPS = '/sys/fs/cgroup';
/** The default weight of a group. A group with half of it gets half as much CPU under contention. */
const USUAL = { 'cpu.shares': 1024, 'cpu.weight': 100 } as const;

/** A multiple of the default weight. An idle group only gets unused CPU time, and never delays other groups. */
type Shares = number | 'idle';

export interface CpuGroups {
  /** Moves a process, its threads and its future children to a group with these shares. */
  put(pid: number, group: string, shares?: Shares): Promise<void>;
  /** Removes the groups. Call it after the processes have ended. */
  remove(): Promise<void>;
}

/**
 * Creates groups of processes that share the cores, as pods with CPU requests do: a group with many threads gets no
 * more than one with few. Returns undefined without Linux or root.
 */
export async function createCpuGroups(name: string): Promise<CpuGroups | undefined> {
  const found = await openParent(name).catch(() => undefined);
  if (found === undefined) return undefined;
  const { parent, top, file } = found;
  const groups = new Map<string, Promise<string>>();

  async function create(group: string, shares: Shares): Promise<string> {
    const folder = join(parent, group);
    await mkdir(folder);
    if (shares === 'idle') await writeFile(join(folder, 'cpu.idle'), '1');
    else await writeFile(join(folder, file), String(Math.max(2, Math.round(USUAL[file] * shares))));
    return folder;
  }

  return {
    async put(pid, group, shares = 1) {
      const made = groups.get(group) ?? create(group, shares);
      groups.set(group, made);
      await writeFile(join(await made, 'cgroup.procs'), String(pid));
    },
    async remove() {
      await writeFile(join(top, 'cgroup.procs'), String(process.pid));
      // Retries, because a killed process stays in its group for a moment.
      for (const made of groups.values()) await eventually(async () => rmdir(await made));
      await rmdir(parent);
    },
  };
}

async function openParent(name: string) {
  const own = `switchboard-${name}-${process.pid}`;
  const isUnified = await readFile(join(CGROUPS, 'cgroup.controllers'), 'utf8').then(
    (controllers) => controllers.split(/\s+/).includes('cpu'),
    () => false,
  );
  const top = isUnified ? CGROUPS : join(CGROUPS, 'cpu');
  const parent = join(top, own);
  await mkdir(parent);
  if (isUnified) {
    for (const folder of [top, parent]) await writeFile(join(folder, 'cgroup.subtree_control'), '+cpu');
  }
  return { parent, top, file: isUnified ? ('cpu.weight' as const) : ('cpu.shares' as const) };
}
