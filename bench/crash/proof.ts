import type { Request } from './books.ts';
import type { Kill } from './kills.ts';
import { readLog } from './log-reader.ts';
import { createRandom } from './random.ts';
import { playRound, type RoundResult } from './round.ts';
import { type SettingOptions, setUp } from './setting.ts';

export interface ProofOptions extends SettingOptions {
  rounds: number;
  /** Of load and kills, each round. */
  seconds: number;
  clients: number;
  seed: number;
  onKill(kill: Kill): void;
  onRound(result: RoundResult, round: number): void;
}

const LATE_KILLS = 2;

/** Plays rounds on one setting until one finds a fault. Answers the rounds, and where the processes' output is kept then. */
export async function prove(options: ProofOptions): Promise<{ rounds: RoundResult[]; logsFolder: string }> {
  const { rounds: count, seconds, clients, onKill, onRound } = options;
  const setting = await setUp(options);
  const reader = await readLog(setting.log);
  const books: Request[] = [];
  const base = Date.now();
  const rounds: RoundResult[] = [];
  let isWhole = false;
  try {
    for (let round = 1; round <= count; round++) {
      // Each round its own, since how much chance a round uses up depends on the machine.
      const random = createRandom(options.seed + round);
      const result = await playRound(
        { setting, reader, random, base, seconds, clients, lateKills: LATE_KILLS, books, onKill },
        round,
      );
      rounds.push(result);
      onRound(result, round);
      if (result.faults.length > 0) break;
    }
    isWhole = rounds.every(({ faults }) => faults.length === 0);
    return { rounds, logsFolder: setting.folder };
  } catch (cause) {
    throw new Error(`The proof broke off; what the processes wrote is in ${setting.folder}`, { cause });
  } finally {
    await reader.stop().catch(() => undefined);
    await setting.stop({ keepLogs: !isWhole });
  }
}
