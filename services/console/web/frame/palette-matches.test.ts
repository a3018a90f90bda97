import { expect, it } from 'vitest';
import { type Entry, matchesOf } from './palette-matches.ts';

const entry = (title: string, also?: string): Entry => ({ title, to: `/${title}`, kind: 'Flag', also });
const titlesOf = (query: string, all: Entry[], recent: Entry[] = []) =>
  matchesOf(all, query, { most: 3, recent }).map(({ title }) => title);

it('finds entries with every word, whatever their order and case', () => {
  const all = [entry('New checkout'), entry('checkout'), entry('New start page')];
  expect(titlesOf('CHECKOUT new', all)).toEqual(['New checkout']);
});

it('finds entries by their id', () => {
  expect(titlesOf('rep_1', [entry('Orders', 'rep_1'), entry('Sales', 'rep_2')])).toEqual(['Orders']);
});

it('puts entries that were opened recently first, then those that begin with the query', () => {
  const all = ['a pay', 'pay', 'b pay', 'pay later'].map((title) => entry(title));
  expect(titlesOf('pay', all)).toEqual(['pay', 'pay later', 'a pay']);
  expect(titlesOf('pay', all, [entry('b pay'), entry('a pay')])).toEqual(['b pay', 'a pay', 'pay']);
});
