import * as z from 'zod/mini';

/** The answer of `/operator/state`, which the pages for operators read. */

const serviceState = z.object({
  service: z.string(),
  status: z.enum(['ready', 'not ready', 'unreachable']),
  /** Why it is not ready, by dependency. */
  problems: z.record(z.string(), z.string()),
  version: z.nullable(z.string()),
  revision: z.nullable(z.string()),
  region: z.nullable(z.string()),
  startedAt: z.nullable(z.string()),
  /** Whether each of its dependencies answers. */
  dependencies: z.array(z.object({ name: z.string(), isUp: z.boolean() })),
});

const groupState = z.object({
  group: z.string(),
  topic: z.string(),
  partitions: z.number(),
  /** Records that the group has not handled yet. */
  behind: z.number(),
  /** The processes that read. Null if no service reports them. */
  members: z.nullable(z.number()),
});

export const deploymentState = z.object({ services: z.array(serviceState), groups: z.array(groupState) });

/** The state of a service, from the instance that answered. */
export type ServiceState = z.infer<typeof serviceState>;
/** A consumer group and a topic that it reads. */
export type GroupState = z.infer<typeof groupState>;
export type DeploymentState = z.infer<typeof deploymentState>;
