import { expect, it } from 'vitest';
import { MAX_NAMED, projectLoad, WINDOW_SECONDS } from './project-load.ts';

it('reports the rates of the last complete window, and nothing after a window without requests', () => {
  let now = 0;
  const projects = projectLoad(() => now);
  for (let i = 0; i < 60; i++) projects.observe('a', i < 6 ? 429 : 200, 0.5);
  projects.observe('b', 503, 0);
  expect(projects.busiest(({ requests }) => requests)).toEqual(new Map([['other', 0]]));

  now += WINDOW_SECONDS;
  projects.observe('c', 200, 1);
  const rate = (count: number) => count / WINDOW_SECONDS;
  expect(projects.busiest(({ requests }) => requests)).toEqual(
    new Map([
      ['a', rate(60)],
      ['b', rate(1)],
      ['other', 0],
    ]),
  );
  expect(projects.busiest(({ refused }) => refused).get('a')).toBe(rate(6));
  expect(projects.busiest(({ seconds }) => seconds)).toEqual(
    new Map([
      ['a', rate(30)],
      ['other', 0],
    ]),
  );

  now += WINDOW_SECONDS;
  expect([...projects.busiest(({ requests }) => requests).keys()]).toEqual(['c', 'other']);
  now += 2 * WINDOW_SECONDS;
  expect([...projects.busiest(({ requests }) => requests).keys()]).toEqual(['other']);
});

it('names the busiest twenty of any number of projects, and sums the others', () => {
  let now = 0;
  const projects = projectLoad(() => now);
  for (let i = 0; i < 20_000; i++) projects.observe(`p${i}`, 200, 0);
  for (let i = 0; i < 30; i++) for (let n = 0; n < i; n++) projects.observe(`p${i}`, 200, 0);
  now += WINDOW_SECONDS;
  const shown = projects.busiest(({ requests }) => requests);
  expect(shown.size).toBe(MAX_NAMED + 1);
  expect([...shown.keys()].slice(0, 2)).toEqual(['p29', 'p28']);
  const sum = [...shown.values()].reduce((total, rate) => total + rate) * WINDOW_SECONDS;
  expect(Math.round(sum)).toBe(20_000 + 435);
});
