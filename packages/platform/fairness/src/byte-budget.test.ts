import { describe, expect, it } from 'vitest';
import { createByteBudget } from './byte-budget.ts';

describe('a byte budget', () => {
  it('reserves bytes up to the bound of a budget', () => {
    const budget = createByteBudget(100);
    expect(budget.tryReserve(60)).toBe(true);
    expect(budget.tryReserve(41)).toBe(false);
    expect(budget.tryReserve(40)).toBe(true);
    budget.release(60);
    expect(budget.used()).toBe(40);
  });

  it('limits the parts of a budget in total, and counts each one', () => {
    const whole = createByteBudget(100);
    const [bodies, records] = [whole.part(), whole.part()];
    expect(bodies.tryReserve(60)).toBe(true);
    expect(records.tryReserve(30)).toBe(true);
    expect(records.tryReserve(20)).toBe(false);
    expect([whole.used(), bodies.used(), records.used()]).toEqual([90, 60, 30]);
    bodies.release(60);
    expect(records.tryReserve(20)).toBe(true);
  });

  it('accepts one item of any size if nothing is reserved', () => {
    const budget = createByteBudget(100);
    expect(budget.tryReserve(500)).toBe(true);
    expect(budget.tryReserve(1)).toBe(false);
  });
});
