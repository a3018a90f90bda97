import { compileCohorts, compileRuleset, evaluateFlag, memberships } from '@switchboard/flag-engine';
import type { Conversion } from '../conversion/conversion.ts';

/** A person to evaluate an imported flag for. */
interface Evaluated {
  distinctId?: string;
  traits?: object;
  key?: string;
}

/** Returns the value of an imported flag, or undefined if there is none. Everyone is in a company with the plan pro. */
export function valueFor(
  conversion: Conversion,
  { distinctId = 'ada', traits = {}, key = 'x' }: Evaluated,
): unknown {
  const person = { distinctId, traits: { ...traits }, groups: { company: { plan: 'pro' } } };
  const cohorts = compileCohorts(conversion.cohorts.map(({ did: _, ...cohort }) => cohort));
  const user = { ...person, cohorts: new Set(memberships(cohorts, person)) };
  return evaluateFlag(compileRuleset(conversion.flags), key, user)?.value;
}
