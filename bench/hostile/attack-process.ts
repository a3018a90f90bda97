import { setPriority } from 'node:os';
import type { AttackPlan } from './attack.ts';
import { ATTACKS } from './attacks.ts';

/** Runs one attack for some seconds, in a process of its own. */
process.once('message', async ({ attack, ports, seconds }: AttackPlan) => {
  // Attackers have machines of their own: here they take what the others leave.
  setPriority(10);
  await ATTACKS[attack]?.run(ports, AbortSignal.timeout(seconds * 1000));
  process.send?.('done');
});
