import { getPriority, setPriority } from 'node:os';
import type { Answers, AttackPlan } from './attack.ts';
import { ATTACKS, answers } from './attacks.ts';

/** How much the services' priority exceeds the attacker's. */
const BEHIND = 10;
const LOWEST = 19;

/** Runs one attack for some seconds, in a process of its own. */
process.once('message', async ({ attack, ports, seconds }: AttackPlan) => {
  // Attackers have machines of their own: here they take what the others leave.
  setPriority(Math.min(LOWEST, getPriority() + BEHIND));
  await ATTACKS[attack]?.run(ports, AbortSignal.timeout(seconds * 1000));
  const sent: Answers = Object.fromEntries(answers);
  process.send?.(sent);
});
