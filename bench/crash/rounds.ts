import { readLog } from './checks/log-reader.ts';
import { type DeploymentOptions, deploy } from './deployment.ts';
import { createDisrupter, type Disrupted } from './disrupt.ts';
import type { Request } from './ledger.ts';
import { createRandom } from './random.ts';
import { type RoundResult, runRound } from './round.ts';

export interface RoundsOptions extends DeploymentOptions {
  rounds: number;
  /** Seconds of load and disruptions per round. A disruption that is in progress at the end may last longer. */
  seconds: number;
  clients: number;
  seed: number;
  onDisrupted(disrupted: Disrupted): void;
  onRound(result: RoundResult, round: number): void;
}

const LATE_KILLS = 2;

/** Runs rounds on one deployment until one finds a fault. In that case, keeps `logsFolder`. */
export async function runRounds(
  options: RoundsOptions,
): Promise<{ rounds: RoundResult[]; logsFolder: string }> {
  const { rounds: count, seconds, clients, onDisrupted, onRound } = options;
  const deployment = await deploy(options);
  const reader = await readLog(deployment.log);
  const disrupter = createDisrupter(deployment.targets);
  const ledger: Request[] = [];
  const base = Date.now();
  const rounds: RoundResult[] = [];
  let isFlawless = false;
  try {
    for (let round = 1; round <= count; round++) {
      // Each round has its own seed: the number of random numbers that a round uses depends on the machine.
      const random = createRandom(options.seed + round);
      const result = await runRound(
        {
          deployment,
          disrupter,
          reader,
          random,
          base,
          seconds,
          clients,
          lateKills: LATE_KILLS,
          ledger,
          onDisrupted,
        },
        round,
      );
      rounds.push(result);
      onRound(result, round);
      if (result.faults.length > 0) break;
    }
    isFlawless = rounds.every(({ faults }) => faults.length === 0);
    return { rounds, logsFolder: deployment.folder };
  } catch (cause) {
    throw new Error(`The run was aborted. The output of the processes is in ${deployment.folder}.`, {
      cause,
    });
  } finally {
    await reader.stop().catch(() => undefined);
    await deployment.stop({ keepLogs: !isFlawless });
  }
}
