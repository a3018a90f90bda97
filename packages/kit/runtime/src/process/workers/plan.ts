import { availableParallelism, totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { YOUNG_BYTES } from '@switchboard/engine';
import { z } from 'zod';
import { ConfigError, parseConfig } from '../../settings/config.ts';
import { processSettings } from '../../settings/process.ts';

const MIB = 1_048_576;
/** The minimum that leaves a service room for data besides its code. */
const MIN_OLD_SPACE_BYTES = 96 * MIB;

export interface Machine {
  cpus: number;
  /** The heap limit of this process, which its workers share. */
  heapBytes: number;
  memoryBytes: number;
}

export interface WorkerPlan {
  count: number;
  /** The Node.js flags of each worker. */
  flags: string[];
}

/** The settings that a supervisor reads. The workers check all settings. */
const supervisorSettings = z.object({
  ...processSettings,
  ROLES: z.string().optional(),
  REGION: z.string().optional(),
});
type SupervisorConfig = z.output<typeof supervisorSettings>;

/** Returns the settings; undefined if they are invalid, since the service reports all problems together. */
export function supervisorConfig(env: Record<string, string | undefined>): SupervisorConfig | undefined {
  try {
    return parseConfig(supervisorSettings, env);
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/**
 * Returns the number of workers that serve requests and their share of the heap. Throws ConfigError if it is too
 * small.
 */
export function planWorkers(
  config: Pick<SupervisorConfig, 'WORKERS' | 'ROLES'>,
  machine: Machine = thisMachine(),
): WorkerPlan {
  const oldSpace = machine.heapBytes - YOUNG_BYTES;
  const mostWorkers = Math.max(1, Math.floor(oldSpace / MIN_OLD_SPACE_BYTES));
  const count = servesRequests(config) ? countOf(config.WORKERS, machine.cpus, mostWorkers) : 1;
  // The percentage takes precedence over --max-old-space-size, wherever that is set.
  const percentage = (100 * oldSpace) / count / machine.memoryBytes;
  return { count, flags: [`--max-old-space-size-percentage=${percentage.toFixed(4)}`] };
}

function countOf(setting: SupervisorConfig['WORKERS'], cpus: number, mostWorkers: number): number {
  if (setting === 'auto') return Math.min(cpus, mostWorkers);
  if (setting <= mostWorkers) return setting;
  throw new ConfigError(
    `WORKERS: the memory limit allows ${mostWorkers}. Set at most that, or raise the memory limit.`,
  );
}

/** Whether the process has the role http. Consumers always run once. */
function servesRequests({ ROLES }: Pick<SupervisorConfig, 'ROLES'>): boolean {
  return ROLES === undefined || ROLES.split(',').some((role) => role.trim() === 'http');
}

function thisMachine(): Machine {
  const limit = process.constrainedMemory();
  const memory = totalmem();
  return {
    cpus: availableParallelism(),
    heapBytes: getHeapStatistics().heap_size_limit,
    memoryBytes: limit > 0 && limit < memory ? limit : memory,
  };
}
