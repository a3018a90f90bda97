export const PIE_RADIUS = 100;
/** The smallest share that has a label. */
const LABELLED = 0.04;

/** A slice of a pie around 0 0, clockwise from the top. */
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
