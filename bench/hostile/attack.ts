import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CpuGroups } from '../lib/cpu-groups.ts';
import { ATTACKS } from './attacks.ts';
import type { Ports } from './ports.ts';

export interface AttackPlan {
  attack: string;
  ports: Ports;
  seconds: number;
}

/** The number of the attacker's requests per status, and the number without a response. */
export type Answers = Record<string, number>;

/** How long the attacker's last requests may take after the attack ends. */
const GRACE_MS = 40_000;

/** Runs an attack, and resolves with its responses when it is over. */
export async function attack(plan: AttackPlan, groups: CpuGroups | undefined): Promise<Answers> {
  const child = fork(join(import.meta.dirname, 'attack-process.ts'));
  try {
    // Real attackers have their own machines, so here they only get idle CPU time.
    const { cpus } = ATTACKS[plan.attack] ?? {};
    if (child.pid !== undefined)
      await groups?.put(child.pid, cpus === undefined ? 'attacker' : 'neighbour', cpus ?? 'idle');
    child.send(plan);
    const [answers] = await once(child, 'message', {
      signal: AbortSignal.timeout(plan.seconds * 1000 + GRACE_MS),
    });
    return answers;
  } finally {
    child.kill('SIGKILL');
  }
}
