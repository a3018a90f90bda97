import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Target } from './targets.ts';

export interface Kill {
  kind: string;
  name: string;
  /** Milliseconds from the start of the round; undefined while the consumers catch up. */
  at?: number;
  /** How long it was down before it was started again. */
  downMs: number;
}

const MIN_PAUSE_MS = 700;
const MAX_PAUSE_MS = 2_200;
const MAX_DOWN_MS = 1_500;

/**
 * Kills one target after the other for some seconds, and starts each again after a while. The order is random, and each
 * target has its turn before any has another. Resolves when all have been started again.
 */
export async function killInTurns(
  targets: readonly Target[],
  seconds: number,
  random: Random,
  onKill: (kill: Kill) => void,
): Promise<Kill[]> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const kills: Kill[] = [];
  const returning = new Map<Target, Promise<void>>();
  const failures: unknown[] = [];
  let turns: Target[] = [];

  async function killAndRestart(target: Target, downMs: number): Promise<void> {
    await target.kill();
    await sleep(downMs);
    await target.start();
  }

  for (;;) {
    await sleep(random.between(MIN_PAUSE_MS, MAX_PAUSE_MS));
    if (performance.now() >= endsAt) break;
    if (turns.length === 0) turns = random.shuffle(targets);
    const target = turns.pop();
    const downMs = random.between(0, MAX_DOWN_MS);
    if (target === undefined || returning.has(target)) continue;
    const kill = {
      kind: target.kind,
      name: target.name,
      at: Math.round(performance.now() - startedAt),
      downMs,
    };
    kills.push(kill);
    onKill(kill);
    returning.set(
      target,
      killAndRestart(target, downMs)
        .catch((error) => failures.push(error))
        .then(() => void returning.delete(target)),
    );
  }
  await Promise.all(returning.values());
  if (failures.length > 0) throw new AggregateError(failures, 'a target did not start again');
  return kills;
}
