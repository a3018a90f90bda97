import type { Paths } from './content.ts';

export type { Paths } from './content.ts';

type PathNode = Paths['levels'][number][number];

/** An event of paths, its level and its place in it. */
export interface PlacedNode {
  level: number;
  place: number;
  node: PathNode;
}

/** Returns the events of all levels in the order of the table. */
export const nodesOf = ({ levels }: Paths): PlacedNode[] =>
  levels.flatMap((nodes, level) => nodes.map((node, place) => ({ level, place, node })));

interface DrawnNode extends PlacedNode {
  x: number;
  y: number;
  height: number;
  /** The part of the height without a further event, at the lower end. */
  ended: number;
}

interface DrawnLink {
  /** The outline, as the `d` of an SVG path. */
  d: string;
  link: Paths['links'][number];
}

/** The drawing of paths from the left to the right. Heights are people. */
export interface PathsDrawing {
  height: number;
  /** The width of an event with its name, and that of its bar. */
  pitch: number;
  bar: number;
  nodes: DrawnNode[];
  links: DrawnLink[];
}

const BAR = 10;
/** The height of the people of a whole level, and the least height of an event with its name. */
const FLOW = 240;
const MIN_SLOT = 34;
const GAP = 6;
const MIN_LINK = 1;

/** Lays out paths in a width in pixels. Levels before the first event and after the last one have no room. */
export function drawPaths({ levels, links }: Paths, width: number): PathsDrawing {
  const used = levels.flatMap((nodes, level) => (nodes.length > 0 ? [level] : []));
  const [first = 0, last = 0] = [used[0], used.at(-1)];
  const pitch = width / (last - first + 1);
  const total = Math.max(1, ...levels.map((nodes) => nodes.reduce((sum, { count }) => sum + count, 0)));
  const scale = FLOW / total;
  let height = 0;
  const nodes = levels.flatMap((of, level) => {
    let y = 0;
    const drawn = of.map((node, place) => {
      const one = { level, place, node, x: (level - first) * pitch, y, height: node.count * scale };
      y += Math.max(one.height, MIN_SLOT) + GAP;
      return { ...one, ended: (node.ended ?? 0) * scale };
    });
    height = Math.max(height, y - GAP);
    return drawn;
  });
  const nodeAt = new Map(nodes.map((node) => [`${node.level} ${node.place}`, node]));
  /** The height that is taken by links, by event and side. */
  const taken = new Map<string, number>();
  const take = (key: string, amount: number) => {
    const before = taken.get(key) ?? 0;
    taken.set(key, before + amount);
    return before;
  };
  const drawn = links.flatMap((link) => {
    const from = nodeAt.get(`${link.level} ${link.from}`);
    const to = nodeAt.get(`${link.level + 1} ${link.to}`);
    if (from === undefined || to === undefined) return [];
    const size = link.count * scale;
    const y0 = from.y + take(`out ${link.level} ${link.from}`, size);
    const y1 = to.y + take(`in ${link.level + 1} ${link.to}`, size);
    return [{ link, d: ribbon({ x: from.x + BAR, y: y0 }, { x: to.x, y: y1 }, Math.max(size, MIN_LINK)) }];
  });
  return { height: Math.max(height, MIN_SLOT), pitch, bar: BAR, nodes, links: drawn };
}

interface Corner {
  x: number;
  y: number;
}

/** Returns the outline of a curved band between two upper corners. */
function ribbon(from: Corner, to: Corner, size: number): string {
  const middle = (from.x + to.x) / 2;
  const point = (x: number, y: number) => `${round(x)},${round(y)}`;
  return [
    `M${point(from.x, from.y)}`,
    `C${point(middle, from.y)} ${point(middle, to.y)} ${point(to.x, to.y)}`,
    `L${point(to.x, to.y + size)}`,
    `C${point(middle, to.y + size)} ${point(middle, from.y + size)} ${point(from.x, from.y + size)}Z`,
  ].join('');
}

const round = (value: number) => Math.round(value * 10) / 10;
