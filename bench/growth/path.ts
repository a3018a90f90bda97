/** The steps in which there is more of something. */
export const FACTORS = [1, 10, 100, 1_000];

/** What a path may take as there is more of something: the same, or as much more as there is more to return. */
export type Bound = 'constant' | 'linear';
export type Unit = 'ms' | 'us' | 'MB';

export interface Path {
  name: string;
  bound: Bound;
  unit: Unit;
  /** Measures the path while there is so much of it. */
  measure(size: number): Promise<number>;
}

/** Something that there may be more of, and the paths that could take longer for it. */
export interface Dimension {
  /** What there is more of. */
  of: string;
  sizes: number[];
  /** Makes what is missing to a size; the sizes come in ascending order. */
  fill(size: number): Promise<void>;
  paths: Path[];
  stop(): Promise<void>;
}

/** What was measured of a path. */
export interface Series {
  name: string;
  of: string;
  bound: Bound;
  unit: Unit;
  points: { size: number; value: number }[];
}

export const sizesFrom = (base: number): number[] => FACTORS.map((factor) => base * factor);

/** How often as much the last point is as the first. */
export function growthOf({ points }: Series): number {
  return (points.at(-1)?.value ?? Number.NaN) / (points[0]?.value ?? Number.NaN);
}

/** The exponent e with which value ~ size^e holds between the last two points. */
export function exponentOf({ points }: Series): number {
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return Number.NaN;
  return Math.log(last.value / before.value) / Math.log(last.size / before.size);
}
