import { describe, expect, it } from 'vitest';
import { digestOf } from '../user-state/user-state.ts';
import { type AnswerBody, type AnswerCache, createAnswerCache } from './answers.ts';

const textOf = (body: AnswerBody) => (typeof body === 'string' ? body : new TextDecoder().decode(body));

describe('the answer cache', () => {
  const inputs = { projectId: 'p', distinctId: 'ada', changedAt: '1', state: 'a' };

  function get(answers: AnswerCache, given: typeof inputs, evaluate: () => string): AnswerBody {
    return answers.get({ ...given, last: answers.last(given.projectId, given.distinctId) }, evaluate);
  }

  function counting() {
    const answers = createAnswerCache();
    let evaluations = 0;
    return (change: Partial<typeof inputs> = {}) =>
      textOf(get(answers, { ...inputs, ...change }, () => `evaluation ${++evaluations}`));
  }

  it('returns an answer again only for the same person, ruleset and state', () => {
    const get = counting();
    get();
    expect(get()).toBe('evaluation 2');
    expect(get()).toBe('evaluation 2');
    expect(get({ state: 'b' })).toBe('evaluation 3');
    expect(get({ state: 'b' })).toBe('evaluation 3');
    expect(get({ state: 'b', changedAt: '2' })).toBe('evaluation 4');
    expect(get({ distinctId: 'eve' })).toBe('evaluation 5');
    expect(get({ projectId: 'q' })).toBe('evaluation 6');
    expect(get({ state: 'b', changedAt: '2' })).toBe('evaluation 4');
  });

  it('knows the state of a kept answer', () => {
    const answers = createAnswerCache();
    expect(answers.last('p', 'ada')).toBeUndefined();
    for (let times = 0; times < 2; times++) get(answers, inputs, () => 'answer');
    expect(answers.last('p', 'ada')).toMatchObject({ state: 'a', digest: digestOf('a') });
    get(answers, { ...inputs, state: 'b' }, () => 'another answer');
    expect(answers.last('p', 'ada')).toMatchObject({ state: 'b', digest: digestOf('b') });
    expect(answers.last('q', 'ada')).toBeUndefined();
  });

  it('does not return an answer whose inputs were replaced while the state was read', () => {
    const answers = createAnswerCache();
    for (let times = 0; times < 2; times++) get(answers, inputs, () => 'answer');
    const last = answers.last('p', 'ada');
    get(answers, { ...inputs, state: 'b' }, () => 'newer answer');
    expect(textOf(answers.get({ ...inputs, state: 'b', last }, () => 'newest answer'))).toBe('newest answer');
  });

  it('keeps bytes, in UTF-8', () => {
    const answers = createAnswerCache();
    expect(get(answers, inputs, () => '"ж"')).toBe('"ж"');
    expect(get(answers, inputs, () => '"ж"')).toEqual(new TextEncoder().encode('"ж"'));
  });

  it('keeps the answer to a person who is asked for a second time', () => {
    const get = counting();
    for (let person = 0; person < 1000; person++) get({ distinctId: `person ${person}` });
    expect(get({ distinctId: 'person 7' })).toBe('evaluation 1001');
    expect(get({ distinctId: 'person 7' })).toBe('evaluation 1001');
  });
});
