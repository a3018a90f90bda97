/** A class of values between two ends, both included unless the values are not integers and another class follows. */
export interface MapClass {
  from: number;
  to: number;
  /** The number of its colour, from `--scale-1` to `--scale-5`. The colours of few classes are far apart. */
  colour: number;
}

const STEPS = 5;
/** The colour of the only class. */
const MIDDLE = 3;

/** If the largest value is this many times the smallest, bounds grow by a factor instead of a difference. */
const WIDE_RATIO = 10;
const NICE = [1, 2, 5, 10];
/** Removes the noise of a multiplication with a power of ten. */
const DIGITS = 12;

/** Returns the number of the form 1, 2 or 5 times a power of ten that is closest to a positive value by its ratio. */
function nearestNice(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const ratioTo = (nice: number) => Math.abs(Math.log(value / (nice * power)));
  return NICE.reduce((best, nice) => (ratioTo(nice) < ratioTo(best) ? nice : best)) * power;
}

function growingBounds(least: number, most: number): number[] {
  const factor = (most / least) ** (1 / STEPS);
  return Array.from({ length: STEPS - 1 }, (_, at) => nearestNice(least * factor ** (at + 1)));
}

/** Returns the multiples of the smallest round step that makes few enough classes. */
function evenBounds(least: number, most: number): number[] {
  const power = 10 ** Math.floor(Math.log10((most - least) / STEPS));
  for (const step of [...NICE, 20].map((nice) => nice * power)) {
    const first = Math.floor(least / step) + 1;
    const count = Math.ceil(most / step) - first;
    if (count < STEPS) return Array.from({ length: count + 1 }, (_, at) => (first + at) * step);
  }
  return [];
}

/**
 * Divides values into at most five classes with round bounds, in ascending order. If no value is negative, zeros do not
 * count for the bounds.
 */
export function classesOf(values: readonly number[]): MapClass[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const smallest = least < 0 ? least : Math.min(...values.filter((value) => value > 0));
  const isWide = smallest > 0 && most / smallest >= WIDE_RATIO;
  const isWhole = values.every(Number.isInteger);
  const bounds = (smallest < most ? (isWide ? growingBounds : evenBounds)(smallest, most) : [])
    .map((bound) => (isWhole ? Math.ceil(bound) : Number(bound.toPrecision(DIGITS))))
    .filter((bound) => bound > least && (bound < most || (isWhole && bound === most)));
  const starts = values.length === 0 ? [] : [...new Set([least, ...bounds])].slice(0, STEPS);
  return starts.map((from, at) => {
    const next = starts[at + 1];
    const to = next === undefined ? most : isWhole ? next - 1 : next;
    const share = at / (starts.length - 1);
    return { from, to, colour: starts.length === 1 ? MIDDLE : 1 + Math.round(share * (STEPS - 1)) };
  });
}

/** Returns the class of a value, which is one of those that were divided. */
export function classAt(classes: readonly MapClass[], value: number): MapClass {
  const found = classes.findLast(({ from }) => from <= value);
  if (found === undefined) throw new Error('The value is in no class.');
  return found;
}

/** Names a class by its ends, such as `10 – 99`. */
export const className = (
  { from, to }: Pick<MapClass, 'from' | 'to'>,
  format: (value: number) => string,
): string => (from === to ? format(from) : `${format(from)} – ${format(to)}`);
