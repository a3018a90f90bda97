import { setTimeout as sleep } from 'node:timers/promises';
import { ingestionTopics } from '@switchboard/contracts';
import type { EventLog } from '@switchboard/event-log';
import { eventually } from '@switchboard/testkit';
import { type Disrupted, disrupt } from './disrupt.ts';
import type { Random } from './random.ts';
import type { Target } from './targets.ts';

/** Consumer groups, with the kind of process that they run in. */
const GROUPS: { kind: string; group: string; topics: string[] }[] = [
  { kind: 'event archive', group: 'archive.events', topics: [ingestionTopics.events] },
  { kind: 'webhooks', group: 'delivery.events', topics: [ingestionTopics.events] },
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
  targets: readonly Target[];
  /** How many times to kill a consumer that is making progress. */
  kills: number;
  random: Random;
  onDisrupted(disrupted: Disrupted): void;
}

/** Resolves when every consumer has committed everything. On timeout, throws the lag of the remaining consumers. */
export async function catchUp({ log, targets, kills, random, onDisrupted }: CatchUpOptions): Promise<void> {
  const startedAt = performance.now();
  const before = new Map<string, bigint>();
  for (let left = kills; ; await sleep(100)) {
    const lags = await Promise.all(GROUPS.map(async (one) => ({ ...one, behind: await lagOf(log, one) })));
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
    const [target] = random.shuffle(targets.filter(({ kind }) => kind === moving.kind));
    const kill = target?.disruptions.find(({ effect }) => effect === 'killed');
    if (target === undefined || kill === undefined) continue;
    onDisrupted({ kind: target.kind, name: target.name, effect: kill.effect, forMs: 0 });
    await disrupt(kill, 0);
  }
}

async function lagOf(log: EventLog, { group, topics }: { group: string; topics: string[] }): Promise<bigint> {
  // A log that has just restarted may reject requests while it loads.
  const lag = await eventually(() => log.lag(group, topics), { withinMs: 60_000 });
  return lag.reduce((sum, { behind }) => sum + behind, 0n);
}
