import { constants, setPriority } from 'node:os';
import type { Answers, AttackPlan } from './attack.ts';
import { ATTACKS, answers } from './attacks.ts';

/** Runs one attack for some seconds, in a process of its own. */
process.once('message', async ({ attack, ports, seconds }: AttackPlan) => {
  // Attackers have machines of their own: here they take what the others leave.
  setPriority(constants.priority.PRIORITY_LOW);
  await ATTACKS[attack]?.run(ports, AbortSignal.timeout(seconds * 1000));
  const sent: Answers = Object.fromEntries(answers);
  process.send?.(sent);
});
