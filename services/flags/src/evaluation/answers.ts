import type { Decision } from '@switchboard/flag-engine';
import { noReads, type Reads } from '@switchboard/resilience';
import { outcomeOf } from '../rulesets/outcomes.ts';
import type { Fragment, Ruleset } from '../rulesets/ruleset.ts';
import type { Answer, KnownPeople, KnownPerson } from '../user-state/known-people.ts';

export interface Answers {
  /** Returns the person's last answer if it belongs to this ruleset, otherwise the result of `evaluate`. */
  get(person: KnownPerson, changedAt: string, evaluate: () => Answer): Answer;
  reads(): Readonly<Reads>;
}

/** Keeps the last answer of each person. No two rulesets of a project have the same `changedAt`. */
export function createAnswers(people: Pick<KnownPeople, 'keep'>): Answers {
  const reads = noReads();
  return {
    get(person, changedAt, evaluate) {
      if (person.answer?.changedAt === changedAt) {
        reads.hits++;
        return person.answer;
      }
      reads.misses++;
      const answer = evaluate();
      // The body is a string, because Node.js sends it in one piece with the headers. Its concatenated parts are freed when its
      // UTF-8 length is computed for the first response.
      people.keep(person, changedAt, answer);
      return answer;
    },
    reads: () => reads,
  };
}

/**
 * Returns the body of GET /v1/flags: `{flags, variants}`. With `ruleOf`, which returns the rule that decided, also
 * `reasons` and `rules`.
 */
export function answerJson(
  ruleset: Ruleset,
  decisions: readonly Decision[],
  ruleOf?: (decision: Decision) => string | undefined,
): string {
  let flags = '';
  let variants = '';
  let reasons = '';
  let rules = '';
  for (let position = 0; position < decisions.length; position++) {
    const decision = decisions[position];
    if (decision === undefined) continue;
    const fragment = fragmentOf(ruleset, position, decision);
    flags = joined(flags, fragment.flag);
    variants = joined(variants, fragment.variant);
    if (ruleOf === undefined) continue;
    const name = JSON.stringify(decision.key);
    reasons = joined(reasons, `,${name}:"${decision.reason}"`);
    const rule = ruleOf(decision);
    if (rule !== undefined) rules = joined(rules, `,${name}:${JSON.stringify(rule)}`);
  }
  const why = ruleOf ? `,"reasons":{${reasons}},"rules":{${rules}}` : '';
  return `{"flags":{${flags}},"variants":{${variants}}${why}}`;
}

/** Joins members, each with a leading comma. Slices only the first one, because slicing the result would copy it. */
const joined = (members: string, next: string): string => (members === '' ? next.slice(1) : members + next);

/** Serializes each outcome of a ruleset once. */
function fragmentOf(
  { compiled, offsets, fragments }: Ruleset,
  position: number,
  decision: Decision,
): Fragment {
  const flag = compiled.flags[position];
  const place = (offsets[position] ?? 0) + (flag === undefined ? 0 : outcomeOf(flag, decision));
  const known = fragments[place];
  if (known !== undefined) return known;
  const name = JSON.stringify(decision.key);
  // `join` creates flat strings. A template literal keeps each of its parts in memory.
  const fragment = {
    flag: [',', name, ':', JSON.stringify(decision.value)].join(''),
    variant: decision.variant === null ? '' : [',', name, ':', JSON.stringify(decision.variant)].join(''),
  };
  fragments[place] = fragment;
  return fragment;
}
