import { describe, expect, it } from 'vitest';
import { digestOf } from '../user-state/user-state.ts';
import { type AnswerBody, createAnswerCache } from './answers.ts';

const textOf = (body: AnswerBody) => (typeof body === 'string' ? body : new TextDecoder().decode(body));

describe('the answer cache', () => {
  const inputs = { projectId: 'p', distinctId: 'ada', changedAt: '1', state: 'a' };

  function counting() {
    const answers = createAnswerCache();
    let evaluations = 0;
    return (change: Partial<typeof inputs> = {}) =>
      textOf(answers.get({ ...inputs, ...change }, () => `evaluation ${++evaluations}`));
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
    expect(answers.knownState('p', 'ada')).toBeUndefined();
    for (let times = 0; times < 2; times++) answers.get(inputs, () => 'answer');
    expect(answers.knownState('p', 'ada')).toMatchObject({ state: 'a', digest: digestOf('a') });
    answers.get({ ...inputs, state: 'b' }, () => 'another answer');
    expect(answers.knownState('p', 'ada')).toMatchObject({ state: 'b', digest: digestOf('b') });
    expect(answers.knownState('q', 'ada')).toBeUndefined();
  });

  it('keeps bytes, in UTF-8', () => {
    const answers = createAnswerCache();
    expect(answers.get(inputs, () => '"ж"')).toBe('"ж"');
    expect(answers.get(inputs, () => '"ж"')).toEqual(new TextEncoder().encode('"ж"'));
  });

  it('keeps the answer to a person who is asked for a second time', () => {
    const get = counting();
    for (let person = 0; person < 1000; person++) get({ distinctId: `person ${person}` });
    expect(get({ distinctId: 'person 7' })).toBe('evaluation 1001');
    expect(get({ distinctId: 'person 7' })).toBe('evaluation 1001');
  });
});
