import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from './random.ts';
import type { Part } from './service-process.ts';

export interface Kill {
  kind: string;
  name: string;
  /** Milliseconds from the start of the round; undefined while what the load left was worked off. */
  at?: number;
  /** How long it stayed away before it was started again. */
  awayMs: number;
}

const SHORTEST_PAUSE_MS = 700;
const LONGEST_PAUSE_MS = 2_200;
const LONGEST_ABSENCE_MS = 1_500;

/**
 * Kills the parts for so many seconds, one after the other in an order that chance shuffles again when each has had
 * its turn, and starts each again after a while. Resolves when all have been started.
 */
export async function killInTurns(
  parts: readonly Part[],
  seconds: number,
  random: Random,
  onKill: (kill: Kill) => void,
): Promise<Kill[]> {
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const kills: Kill[] = [];
  const returning = new Map<Part, Promise<void>>();
  const failures: unknown[] = [];
  let turns: Part[] = [];

  async function fell(part: Part, awayMs: number): Promise<void> {
    await part.kill();
    await sleep(awayMs);
    await part.start();
  }

  for (;;) {
    await sleep(random.between(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS));
    if (performance.now() >= endsAt) break;
    if (turns.length === 0) turns = random.shuffle(parts);
    const part = turns.pop();
    const awayMs = random.between(0, LONGEST_ABSENCE_MS);
    if (part === undefined || returning.has(part)) continue;
    const kill = { kind: part.kind, name: part.name, at: Math.round(performance.now() - startedAt), awayMs };
    kills.push(kill);
    onKill(kill);
    returning.set(
      part,
      fell(part, awayMs)
        .catch((error) => failures.push(error))
        .then(() => void returning.delete(part)),
    );
  }
  await Promise.all(returning.values());
  if (failures.length > 0) throw new AggregateError(failures, 'a part did not come back');
  return kills;
}
