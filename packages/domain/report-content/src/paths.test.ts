import { describe, expect, it } from 'vitest';
import { parseContent } from './content.ts';
import { csvOf } from './csv.ts';
import { drawPaths } from './paths.ts';
import { tableOf } from './table.ts';

function pathsOf(report: object) {
  const content = parseContent({ kind: 'paths', ...report });
  if (content?.kind !== 'paths') throw new Error('not paths');
  return content;
}
const levels = [
  [{ name: 'seen', count: 4, ended: 1 }],
  [
    { name: 'added', count: 2, ended: 2 },
    { name: 'left', count: 1, ended: 0 },
  ],
];
const links = [
  { level: 0, from: 0, to: 0, count: 2 },
  { level: 0, from: 0, to: 1, count: 1 },
];

describe('paths', () => {
  it('are a table of the events of each level, and of the ways between them', () => {
    expect(csvOf(tableOf(pathsOf({ levels, links })))).toBe(
      '"Step","Count","No further event"\r\n"1. seen",4,1\r\n"2. added",2,2\r\n"2. left",1,0\r\n"1. seen → 2. added",2,\r\n"1. seen → 2. left",1,\r\n',
    );
  });

  it('have heights in the proportion of people, and bands that fit the events they join', () => {
    const { nodes, links: bands, height } = drawPaths(pathsOf({ levels, links }), 600);
    const [seen, added, left] = nodes;
    expect([seen?.height, added?.height, left?.height]).toEqual([240, 120, 60]);
    expect([seen?.x, added?.x, left?.x]).toEqual([0, 300, 300]);
    expect(left?.y).toBeGreaterThan(added?.height ?? 0);
    expect(height).toBe(240);
    expect(bands.map(({ d }) => d.slice(0, 6))).toEqual(['M10,0C', 'M10,12']);
  });

  it('leave no room for levels without events, which paths followed back begin with', () => {
    const { nodes } = drawPaths(pathsOf({ levels: [[], [], ...levels], links: [] }), 600);
    expect(nodes.map(({ level, x }) => [level, x])).toEqual([
      [2, 0],
      [3, 300],
      [3, 300],
    ]);
  });

  it('name only events that exist', () => {
    expect(parseContent({ kind: 'paths', levels, links: [{ ...links[0], to: 2 }] })).toBeUndefined();
    expect(parseContent({ kind: 'paths', levels, links: [{ ...links[0], level: 1 }] })).toBeUndefined();
  });
});
