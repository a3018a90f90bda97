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

/** What the chart runs of a service: one process each. */
export interface Pod {
  /** The service and what the process does, such as `archive events`. */
  name: string;
  service: string;
  /** ROLES */
  roles: string;
  /** What it requests. */
  cpus: number;
  /** The limit above which it is killed. */
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
