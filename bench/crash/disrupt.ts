import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Disruption, Target } from './targets.ts';

/** A past disruption. */
export interface Disrupted {
  kind: string;
  name: string;
  effect: string;
  /** Milliseconds from the start of the round. Undefined while the consumers catch up. */
  at?: number;
  /** The duration in milliseconds. */
  forMs: number;
}

const MIN_PAUSE_MS = 700;
const MAX_PAUSE_MS = 2_200;

/** Runs the disruption, and resolves when it is over. */
export async function disrupt({ begin, end }: Disruption, forMs: number): Promise<void> {
  await begin();
  await sleep(forMs);
  await end();
}

export type Disrupter = (
  seconds: number,
  random: Random,
  onDisrupted: (disrupted: Disrupted) => void,
) => Promise<void>;

/**
 * Disrupts one target after another, for some seconds each. The order is random, but no target repeats before all
 * others had a turn. The same holds for the disruptions of a target. At most one target per `oneOf` value is
 * disrupted at any time. Resolves when all disruptions are over.
 */
export function createDisrupter(targets: readonly Target[]): Disrupter {
  let turns: Target[] = [];
  const effects = new Map<Target, Disruption[]>();

  function takeEffect(target: Target, random: Random): Disruption | undefined {
    const left = effects.get(target) ?? [];
    if (left.length === 0) left.push(...random.shuffle(target.disruptions));
    effects.set(target, left);
    return left.pop();
  }

  return async (seconds, random, onDisrupted) => {
    const startedAt = performance.now();
    const endsAt = startedAt + seconds * 1000;
    const running = new Map<Target, Promise<void>>();
    const failures: unknown[] = [];
    const isBusy = (target: Target) =>
      running.has(target) ||
      (target.oneOf !== undefined && [...running.keys()].some(({ oneOf }) => oneOf === target.oneOf));
    for (;;) {
      await sleep(random.between(MIN_PAUSE_MS, MAX_PAUSE_MS));
      if (performance.now() >= endsAt) break;
      if (turns.length === 0) turns = random.shuffle(targets);
      const target = turns.pop();
      if (target === undefined) continue;
      if (isBusy(target)) {
        // Retries this target after the remaining ones.
        turns.unshift(target);
        continue;
      }
      const disruption = takeEffect(target, random);
      if (disruption === undefined) continue;
      const { minMs = 0, maxMs, effect } = disruption;
      const forMs = random.between(minMs, maxMs);
      const at = Math.round(performance.now() - startedAt);
      onDisrupted({ kind: target.kind, name: target.name, effect, at, forMs });
      running.set(
        target,
        disrupt(disruption, forMs)
          .catch((error) => failures.push(error))
          .then(() => void running.delete(target)),
      );
    }
    await Promise.all(running.values());
    if (failures.length > 0) throw new AggregateError(failures, 'a target did not recover');
  };
}
