import { textsOf } from '../pages/texts/languages.ts';
import type { AccountProblem } from './accounts.ts';

/** Returns the sentence that says what to change. */
export function problemText(problem: AccountProblem): string {
  const texts = textsOf();
  if (problem === 'invalidName' || problem === 'invalidEmail') return texts[problem];
  return texts.weak[problem];
}
