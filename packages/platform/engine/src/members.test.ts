import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Members } from './members.ts';

const member = (name: string) => ({ name, place: -1 });
const namesOf = (members: Members<{ name: string; place: number }>) => [...members].map(({ name }) => name);

describe('a collection of members', () => {
  it('contains what was added and not deleted', () => {
    const members = new Members<{ name: string; place: number }>();
    const [a, b, c] = [member('a'), member('b'), member('c')];
    for (const one of [a, b, c]) members.add(one);
    members.delete(a);
    expect(namesOf(members).sort()).toEqual(['b', 'c']);
    members.delete(c);
    members.add(a);
    expect(namesOf(members).sort()).toEqual(['a', 'b']);
    members.delete(a);
    members.delete(b);
    expect(members.size).toBe(0);
  });

  it('ignores the deletion of a value that is not a member', () => {
    const members = new Members<{ name: string; place: number }>();
    const a = member('a');
    members.delete(a);
    members.add(a);
    members.delete(member('b'));
    members.delete({ name: 'c', place: 0 });
    members.delete(a);
    members.delete(a);
    expect(members.size).toBe(0);
  });

  it('visits each member once while visited members are deleted and others are added', () => {
    const members = new Members<{ name: string; place: number }>();
    for (const name of 'abcde') members.add(member(name));
    const visited: string[] = [];
    for (const one of members) {
      visited.push(one.name);
      members.delete(one);
      if (visited.length < 3) members.add(member(`new ${one.name}`));
    }
    expect(visited.sort()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(namesOf(members).sort()).toEqual(['new d', 'new e']);
  });

  it('leaves little work to a full garbage collection, unlike a Set', async () => {
    expect(await wholeCollections('new Members()')).toBeLessThan(3);
    expect(await wholeCollections('new Set()')).toBeGreaterThan(10);
  });
});

/** Counts V8's full collections while 500,000 objects of 5 kB are added and removed, 32 at a time. */
async function wholeCollections(collection: string): Promise<number> {
  const script = `
    const { Members } = await import('./members.ts');
    const all = ${collection};
    const ring = [];
    const make = () => ({ place: -1, data: new Array(600).fill(0.5) });
    for (let i = 0; i < 32; i++) all.add((ring[i] = make()));
    gc();
    gc();
    console.log('ready');
    for (let i = 0; i < 500_000; i++) {
      const at = i % 32;
      all.delete(ring[at]);
      all.add((ring[at] = make()));
    }
  `;
  const flags = ['--expose-gc', '--trace-gc', '--max-semi-space-size=16', '--input-type=module'];
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--eval', script], {
    cwd: import.meta.dirname,
  });
  const [, afterwards = ''] = stdout.split('ready');
  return afterwards.split('Mark-Compact').length - 1;
}
