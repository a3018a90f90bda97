import { describe, expect, it } from 'vitest';
import { createCompiled } from './compiled.ts';
import { type CachedText, compile } from './ruleset.ts';

const textOf = (key: string): CachedText => ({
  changedAt: '2026-01-01T00:00:00.000Z',
  json: JSON.stringify({ flags: [{ key, enabled: true, rolloutPercentage: 100 }], cohorts: [] }),
  compilations: 0,
  derivedBytes: 0,
});
const BYTES = compile(textOf('flag 0')).bytes;

/** Compiles for projects `p0`, `p1` and so on, with memory for some of them. */
function compiledOf(projects: number, memoryFor: number) {
  const compiled = createCompiled({ maxBytes: Math.ceil(memoryFor * (BYTES + 1)) });
  const texts = Array.from({ length: projects }, (_, project) => textOf(`flag ${project % 10}`));
  const ask = (project: number) => {
    const text = texts[project];
    if (text === undefined) throw new Error(`no project ${project}`);
    return compiled(`p${project}`, text);
  };
  const all = () => texts.map((_, project) => ask(project));
  return { compiled, texts, ask, all };
}

const countSame = <T>(some: readonly T[], others: readonly T[]) =>
  some.filter((one, index) => one === others[index]).length;

describe('compiled rulesets', () => {
  it('compiles each ruleset once while all of them fit in memory', () => {
    const { all } = compiledOf(10, 10);
    const first = all();
    expect(countSame(all(), first)).toBe(10);
    expect(first.map(({ compiled }) => compiled.flags[0]?.key)).toEqual(
      Array.from({ length: 10 }, (_, project) => `flag ${project}`),
    );
  });

  it('does not displace rulesets by others that are requested rarely', () => {
    const { all } = compiledOf(40, 10);
    const first = all();
    for (let turn = 0; turn < 5; turn++) expect(countSame(all(), first)).toBe(10);
  });

  it('displaces the least recently used ruleset by one that is requested often', () => {
    const { ask, all } = compiledOf(40, 10);
    all();
    for (let turn = 0; turn < 8; turn++) {
      ask(30);
      ask(10 + turn);
      for (let project = 1; project < 10; project++) ask(project);
    }
    const kept = ask(30);
    const other = ask(0);
    ask(20);
    expect(ask(30)).toBe(kept);
    expect(ask(0)).not.toBe(other);
  });

  it('compiles a changed text at the next request, and keeps it in place of the previous one', () => {
    const { compiled, ask, all } = compiledOf(40, 10);
    all();
    const before = ask(3);
    const changed = textOf('changed');
    const after = compiled('p3', changed);
    expect(after).not.toBe(before);
    expect(after.compiled.flags.map(({ key }) => key)).toEqual(['changed']);
    ask(20);
    expect(compiled('p3', changed)).toBe(after);
  });

  it('never returns the ruleset of another project', () => {
    const { compiled, texts } = compiledOf(2, 10);
    const [text] = texts;
    if (text === undefined) throw new Error('no text');
    compiled('p0', text);
    const own = compiled('p1', textOf('own'));
    expect(own.compiled.flags.map(({ key }) => key)).toEqual(['own']);
    expect(compiled('p0', text).compiled.flags.map(({ key }) => key)).toEqual(['flag 0']);
  });
});
