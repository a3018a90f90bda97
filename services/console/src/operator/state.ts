import { type Send, SendFailed } from '@switchboard/runtime';
import { z } from 'zod';
import type { DeploymentState, GroupState, ServiceState } from './deployment-state.ts';
import { readSamples, type Sample } from './metrics.ts';

const BUILD = 'switchboard_build_info';
const STARTED = 'process_start_time_seconds';
const DEPENDENCY = 'switchboard_dependency_up';
const LAG = 'switchboard_event_log_lag';
const MEMBERS = 'switchboard_event_log_group_members';
const READ = new Set([BUILD, STARTED, DEPENDENCY, LAG, MEMBERS]);

const readiness = z.object({ problems: z.record(z.string(), z.string()) });

/** Reads the health and the metrics of each service. */
export async function readState(
  urls: Readonly<Record<string, string>>,
  send: Send,
): Promise<DeploymentState> {
  const found = await Promise.all(
    Object.entries(urls).map(([service, url]) => readService(service, url, send)),
  );
  const samples = found.flatMap((one) => one.samples);
  return { services: found.map(({ state }) => state), groups: groupsOf(samples) };
}

async function readService(service: string, url: string, send: Send) {
  const metrics = send(`${url}/metrics`).then(
    async (answer) => (answer.ok ? readSamples(await answer.text(), READ) : []),
    () => [],
  );
  const ready = await send(`${url}/health/ready`)
    .then(
      async (answer) => readiness.parse(await answer.json()).problems,
      (error: unknown) => error,
    )
    .catch((error: unknown) => error);
  const samples = await metrics;
  const of = (name: string) => samples.filter((one) => one.name === name);
  const build = of(BUILD)[0]?.labels;
  const startedAt = of(STARTED)[0]?.value;
  const health = healthOf(ready);
  const state: ServiceState = {
    service,
    ...health,
    version: build?.['version'] ?? null,
    revision: build?.['revision'] ?? null,
    region: build?.['region'] || null,
    startedAt: startedAt === undefined ? null : new Date(startedAt * 1000).toISOString(),
    dependencies: of(DEPENDENCY).map(({ labels, value }) => ({
      name: labels['dependency'] ?? '',
      isUp: value === 1,
    })),
  };
  return { state, samples };
}

function healthOf(ready: unknown): Pick<ServiceState, 'status' | 'problems'> {
  const read = readiness.shape.problems.safeParse(ready);
  if (ready instanceof Error || !read.success) {
    const reason = ready instanceof SendFailed ? ready.message : 'no valid answer';
    return { status: 'unreachable', problems: { service: reason } };
  }
  return { status: Object.keys(read.data).length === 0 ? 'ready' : 'not ready', problems: read.data };
}

/** Several services report the lag of a group. The largest number of each partition counts. */
function groupsOf(samples: readonly Sample[]): GroupState[] {
  const members = new Map(
    samples.filter(({ name }) => name === MEMBERS).map(({ labels, value }) => [labels['group'], value]),
  );
  const groups = new Map<string, { group: string; topic: string; behind: Map<string, number> }>();
  for (const { name, labels, value } of samples) {
    if (name !== LAG) continue;
    const { group = '', topic = '', partition = '' } = labels;
    const known = groups.get(`${group} ${topic}`) ?? { group, topic, behind: new Map<string, number>() };
    known.behind.set(partition, Math.max(value, known.behind.get(partition) ?? 0));
    groups.set(`${group} ${topic}`, known);
  }
  return [...groups.values()]
    .map(({ group, topic, behind }) => ({
      group,
      topic,
      partitions: behind.size,
      behind: [...behind.values()].reduce((sum, one) => sum + one, 0),
      members: members.get(group) ?? null,
    }))
    .sort((a, b) => a.topic.localeCompare(b.topic) || a.group.localeCompare(b.group));
}
