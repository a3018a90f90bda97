import type { Decision } from '@switchboard/flag-engine';

interface Fragment {
  flag: string;
  variant: string;
  reason: string;
}

/** A ruleset has one object for each outcome of a flag, so its JSON is written once. */
const fragments = new WeakMap<Decision, Fragment>();

function fragmentOf(decision: Decision): Fragment {
  const known = fragments.get(decision);
  if (known !== undefined) return known;
  const name = JSON.stringify(decision.key);
  const fragment = {
    flag: `${name}:${JSON.stringify(decision.value)},`,
    variant: decision.variant === null ? '' : `${name}:${JSON.stringify(decision.variant)},`,
    reason: `${name}:"${decision.reason}",`,
  };
  fragments.set(decision, fragment);
  return fragment;
}

/** The answer to GET /v1/flags as JSON: `{flags, variants}`, and `reasons` when they are asked for. */
export function evaluationJson(decisions: readonly Decision[], withReasons: boolean): string {
  let flags = '';
  let variants = '';
  let reasons = '';
  for (const decision of decisions) {
    const fragment = fragmentOf(decision);
    flags += fragment.flag;
    variants += fragment.variant;
    if (withReasons) reasons += fragment.reason;
  }
  const told = withReasons ? `,"reasons":{${reasons.slice(0, -1)}}` : '';
  return `{"flags":{${flags.slice(0, -1)}},"variants":{${variants.slice(0, -1)}}${told}}`;
}
