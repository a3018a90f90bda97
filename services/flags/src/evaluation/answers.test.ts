import { describe, expect, it } from 'vitest';
import type { KnownPerson } from '../user-state/known-people.ts';
import { createAnswers } from './answers.ts';

describe('evaluation answers', () => {
  function counting() {
    let person: KnownPerson = { state: 'a', key: 'ada' };
    const answers = createAnswers({
      keep(of, changedAt, answer) {
        person = { ...of, answer: { changedAt, ...answer } };
      },
    });
    let evaluations = 0;
    return (changedAt: string, of = person) =>
      answers.get(of, changedAt, () => ({ body: `"evaluation ${++evaluations}: ж"`, outcomes: '' })).body;
  }

  it('returns an answer again for the same person and ruleset', () => {
    const get = counting();
    expect(get('1')).toBe('"evaluation 1: ж"');
    expect(get('1')).toBe('"evaluation 1: ж"');
    expect(get('2')).toBe('"evaluation 2: ж"');
    expect(get('2')).toBe('"evaluation 2: ж"');
  });

  it('keeps no answer for a person who is requested once', () => {
    const get = counting();
    const once = { state: 'a', key: undefined };
    expect(get('1', once)).toBe('"evaluation 1: ж"');
    expect(get('1', once)).toBe('"evaluation 2: ж"');
  });
});
