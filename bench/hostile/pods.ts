import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';

const CHART_VALUES = join(import.meta.dirname, '../../deploy/kubernetes/switchboard/values.yaml');
const MILLI = 1_000;

const cpus = z
  .union([z.number(), z.string().regex(/^\d+(\.\d+)?m?$/)])
  .transform((cpu) => (String(cpu).endsWith('m') ? Number.parseInt(String(cpu), 10) / MILLI : Number(cpu)));
const mebibytes = z
  .string()
  .regex(/^\d+Mi$/)
  .transform((memory) => Number.parseInt(memory, 10));

const service = z.object({
  processes: z.record(
    z.string(),
    z.object({
      roles: z.string().optional(),
      resources: z.object({
        requests: z.object({ cpu: cpus }),
        limits: z.object({ memory: mebibytes }),
      }),
    }),
  ),
});

/** A pod of a service in the chart, which runs one process. */
export interface Pod {
  /** The service and the role of the process, such as `archive events`. */
  name: string;
  service: string;
  /** The value of ROLES. */
  roles: string;
  /** The number of CPUs that it requests. */
  cpus: number;
  /** The memory limit above which it is killed. */
  memoryMib: number;
}

export async function podsOf(services: readonly string[]): Promise<Pod[]> {
  const values = z
    .record(z.string(), z.unknown())
    .parse(parse(await readFile(CHART_VALUES, 'utf8'), { merge: true }));
  return services.flatMap((name) =>
    Object.entries(service.parse(values[name]).processes).map(
      ([process, { roles = process, resources }]) => ({
        name: `${name} ${process}`,
        service: name,
        roles,
        cpus: resources.requests.cpu,
        memoryMib: resources.limits.memory,
      }),
    ),
  );
}
