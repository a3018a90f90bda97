/** The factors by which a size grows. */
export const FACTORS = [1, 10, 100, 1_000];

/** How the cost of a path may grow with the size: not at all, or in proportion to the data that it returns. */
export type Bound = 'constant' | 'linear';
export type Unit = 'ms' | 'us' | 'MB';

export interface Path {
  name: string;
  bound: Bound;
  unit: Unit;
  /** Measures the path at this size. */
  measure(size: number): Promise<number>;
}

/** A quantity that may grow, and the paths that could slow down with it. */
export interface Dimension {
  /** The name of the quantity. */
  of: string;
  sizes: number[];
  /** Creates the data that is missing up to a size. Sizes come in ascending order. */
  fill(size: number): Promise<void>;
  paths: Path[];
  stop(): Promise<void>;
}

/** The measurements of a path. */
export interface Series {
  name: string;
  of: string;
  bound: Bound;
  unit: Unit;
  points: { size: number; value: number }[];
}

export const sizesFrom = (base: number): number[] => FACTORS.map((factor) => base * factor);

/** Returns the ratio of the last point to the first. */
export function growthOf({ points }: Series): number {
  return (points.at(-1)?.value ?? Number.NaN) / (points[0]?.value ?? Number.NaN);
}

/** Returns the exponent e for which value ~ size^e holds between the last two points. */
export function exponentOf({ points }: Series): number {
  const [before, last] = points.slice(-2);
  if (before === undefined || last === undefined) return Number.NaN;
  return Math.log(last.value / before.value) / Math.log(last.size / before.size);
}
