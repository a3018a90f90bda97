import { setTimeout as sleep } from 'node:timers/promises';
import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import type { Kill } from './kills.ts';
import type { Random } from './random.ts';
import type { Part } from './service-process.ts';

/** The consumers of the proof, by the kind of process they run in. */
const groups: { kind: string; group: string; topics: string[] }[] = [
  { kind: 'event archive', group: 'archive.events', topics: [ingestionTopics.events] },
  { kind: 'replay archive', group: 'archive.replays', topics: [ingestionTopics.replays] },
  {
    kind: 'user state',
    group: 'flags.user-state',
    topics: [ingestionTopics.identifies, ingestionTopics.groups],
  },
];

const WITHIN_MS = 180_000;

export interface CatchUpOptions {
  log: EventLog;
  parts: readonly Part[];
  /** A consumer that is seen to get on is killed, so many times. */
  kills: number;
  random: Random;
  onKill(kill: Kill): void;
}

/** Resolves when every consumer has committed all there is. What was not done in time is thrown with its lag. */
export async function catchUp({ log, parts, kills, random, onKill }: CatchUpOptions): Promise<void> {
  const startedAt = performance.now();
  const before = new Map<string, bigint>();
  for (let left = kills; ; await sleep(100)) {
    const lags = await Promise.all(groups.map(async (one) => ({ ...one, behind: await lagOf(log, one) })));
    const late = lags.filter(({ behind }) => behind > 0n);
    if (late.length === 0) return;
    if (performance.now() - startedAt > WITHIN_MS) {
      throw new Error(
        `not caught up: ${late.map(({ kind, behind }) => `${kind} ${behind} behind`).join(', ')}`,
      );
    }
    const moving = late.find(({ kind, behind }) => behind < (before.get(kind) ?? behind));
    for (const { kind, behind } of lags) before.set(kind, behind);
    if (left === 0 || moving === undefined) continue;
    left--;
    const [part] = random.shuffle(parts.filter(({ kind }) => kind === moving.kind));
    if (part === undefined) continue;
    onKill({ kind: part.kind, name: part.name, awayMs: 0 });
    await part.kill();
    await part.start();
  }
}

async function lagOf(log: EventLog, { group, topics }: { group: string; topics: string[] }): Promise<bigint> {
  // A log that has just come back may say that it is still loading.
  const lag = await eventually(() => log.lag(group, topics), { withinMs: 60_000 });
  return lag.reduce((sum, { behind }) => sum + behind, 0n);
}
