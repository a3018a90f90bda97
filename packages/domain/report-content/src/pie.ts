import type { OverBuckets } from './content.ts';
import { seriesAmount } from './totals.ts';

/** The number of slices with a colour. The other series are one slice without. */
export const MAX_SLICES = 8;
export const PIE_RADIUS = 100;
/** The smallest share that has a label. */
const LABELLED = 0.04;

/** The part of one series, or of several, in the total of all. */
export interface Slice {
  name: string;
  /** The place of its colour among those of the series, in the order of the report. MAX_SLICES: none. */
  colour: number;
  amount: number;
  /** From 0 to 1. */
  share: number;
}

/**
 * Returns the slices of the series with a total above zero, the largest first. Those after the eighth are one slice,
 * the last, named after their number.
 */
export function slicesOf(
  { series, unit }: Pick<OverBuckets, 'series' | 'unit'>,
  nameOthers: (count: number) => string,
): Slice[] {
  const amounts = series
    .map((one, at) => ({ at, name: one.name, amount: seriesAmount(one, one.unit ?? unit).total ?? 0 }))
    .filter(({ amount }) => amount > 0)
    .sort((one, other) => other.amount - one.amount);
  const sum = (some: typeof amounts) => some.reduce((all, { amount }) => all + amount, 0);
  const whole = sum(amounts);
  const largest = amounts.slice(0, MAX_SLICES);
  // Up to eight series have the colours of other displays.
  const colours = series.length > MAX_SLICES ? largest.map(({ at }) => at).sort((a, b) => a - b) : undefined;
  const slices = largest.map(({ at, name, amount }) => {
    return { name, amount, share: amount / whole, colour: colours?.indexOf(at) ?? at };
  });
  const others = amounts.slice(MAX_SLICES);
  if (others.length === 0) return slices;
  const amount = sum(others);
  return [...slices, { name: nameOthers(others.length), amount, share: amount / whole, colour: MAX_SLICES }];
}

/** The drawing of a slice of a pie around 0 0, clockwise from the top. */
interface DrawnSlice {
  /** The outline, as the `d` of an SVG path. Undefined for a whole pie: an arc that ends where it starts draws nothing. */
  d: string | undefined;
  /** The middle of its label. Undefined if the share is too small for one. */
  label: { x: string; y: string } | undefined;
}

/** Draws shares of 1 in order, with their labels at a distance from the middle. */
export function drawSlices(shares: readonly number[], labelRadius: number): DrawnSlice[] {
  let from = 0;
  return shares.map((share) => {
    const [start, end] = [pointAt(from, PIE_RADIUS), pointAt(from + share, PIE_RADIUS)];
    const middle = pointAt(from + share / 2, labelRadius);
    from += share;
    const arc = `A${PIE_RADIUS} ${PIE_RADIUS} 0 ${share > 0.5 ? 1 : 0} 1 ${end.x} ${end.y}`;
    return {
      d: share === 1 ? undefined : `M0 0L${start.x} ${start.y}${arc}Z`,
      label: share < LABELLED ? undefined : middle,
    };
  });
}

function pointAt(share: number, radius: number) {
  const angle = 2 * Math.PI * share;
  return { x: (radius * Math.sin(angle)).toFixed(2), y: (-radius * Math.cos(angle)).toFixed(2) };
}
