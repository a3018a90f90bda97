import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { CpuGroups } from '../lib/cpu-groups.ts';
import type { Ports } from './attacks.ts';

export interface AttackPlan {
  attack: string;
  ports: Ports;
  seconds: number;
}

/** How many requests of the attacker had which status, and how many had no response. */
export type Answers = Record<string, number>;

/** How long the attacker's last requests may take after its time is over. */
const GRACE_MS = 40_000;

/** Resolves when the attack is over, with what it got. */
export async function attack(plan: AttackPlan, groups: CpuGroups | undefined): Promise<Answers> {
  const child = fork(join(import.meta.dirname, 'attack-process.ts'));
  try {
    // Attackers have machines of their own: here they take what the others leave.
    if (child.pid !== undefined) await groups?.put(child.pid, 'attacker', 'idle');
    child.send(plan);
    const [answers] = await once(child, 'message', {
      signal: AbortSignal.timeout(plan.seconds * 1000 + GRACE_MS),
    });
    return answers;
  } finally {
    child.kill('SIGKILL');
  }
}
