import { getPriority, setPriority } from 'node:os';
import type { Answers, AttackPlan } from './attack.ts';
import { ATTACKS, answers } from './attacks.ts';

/** How far the attacker's priority is below that of the services. */
const BEHIND = 10;
const LOWEST = 19;

/** Runs one attack for some seconds, in a separate process. */
process.once('message', async ({ attack, ports, seconds }: AttackPlan) => {
  const one = ATTACKS[attack];
  // Real attackers have their own machines, so here they only get idle CPU time.
  if (one?.cpus === undefined) setPriority(Math.min(LOWEST, getPriority() + BEHIND));
  await one?.run(ports, AbortSignal.timeout(seconds * 1000));
  const sent: Answers = Object.fromEntries(answers);
  process.send?.(sent);
});
