import { describe, expect, it } from 'vitest';
import { createAnswerCache } from './answers.ts';

describe('the answer cache', () => {
  it('returns an answer again only for the same person, ruleset and state', () => {
    const answers = createAnswerCache();
    const inputs = { projectId: 'p', distinctId: 'ada', changedAt: '1', state: 'a' };
    let evaluations = 0;
    const get = (change: Partial<typeof inputs>) =>
      answers.get({ ...inputs, ...change }, () => `evaluation ${++evaluations}`);
    expect(get({})).toBe('evaluation 1');
    expect(get({})).toBe('evaluation 1');
    expect(get({ state: 'b' })).toBe('evaluation 2');
    expect(get({ state: 'b', changedAt: '2' })).toBe('evaluation 3');
    expect(get({ distinctId: 'eve' })).toBe('evaluation 4');
    expect(get({ projectId: 'q' })).toBe('evaluation 5');
    expect(get({ distinctId: 'eve' })).toBe('evaluation 4');
  });
});
