import { describe, expect, it } from 'vitest';
import { createEvaluationMemory } from './memory.ts';

describe('the memory of evaluations', () => {
  it('answers again only what was asked of the same person, ruleset and state', () => {
    const memory = createEvaluationMemory();
    const question = { projectId: 'p', distinctId: 'ada', changedAt: '1', state: 'a' };
    let evaluations = 0;
    const recall = (change: Partial<typeof question>) =>
      memory.recall({ ...question, ...change }, () => `evaluation ${++evaluations}`);
    expect(recall({})).toBe('evaluation 1');
    expect(recall({})).toBe('evaluation 1');
    expect(recall({ state: 'b' })).toBe('evaluation 2');
    expect(recall({ state: 'b', changedAt: '2' })).toBe('evaluation 3');
    expect(recall({ distinctId: 'eve' })).toBe('evaluation 4');
    expect(recall({ projectId: 'q' })).toBe('evaluation 5');
    expect(recall({ distinctId: 'eve' })).toBe('evaluation 4');
  });
});
