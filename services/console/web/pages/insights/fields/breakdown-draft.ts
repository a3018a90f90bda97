import type { Input } from '@switchboard/management';

type Query = NonNullable<Input<'askInsight'>['body']>;
type Breakdown = NonNullable<Extract<Query, { kind: 'trends' }>['breakdown']>;

/** A property of a breakdown while it is edited. */
export interface BreakdownDraft {
  property: string;
  /** The bounds of ranges, such as `10, 100`. Empty for single values. */
  ranges: string;
}

export const MAX_BREAKDOWNS = 3;

/** Returns the bounds in order. Anything that is not a number is left out. */
function boundsOf(ranges: string): number[] {
  const bounds = ranges
    .split(/[\s,;]+/)
    .filter((bound) => bound !== '')
    .map(Number)
    .filter(Number.isFinite);
  return [...new Set(bounds)].sort((one, other) => one - other);
}

/** Returns the breakdown of a query, as properties of it. Empty without one. */
export function breakdownOf(drafts: readonly BreakdownDraft[], limit: number): { breakdown?: Breakdown } {
  const [first, ...and] = drafts
    .filter(({ property }) => property !== '')
    .map(({ property, ranges }) => {
      const bounds = boundsOf(ranges);
      return { property, ...(bounds.length > 0 && { ranges: bounds }) };
    });
  if (first === undefined) return {};
  return { breakdown: { ...first, ...(and.length > 0 && { and }), ...(limit > 0 && { limit }) } };
}

/** Returns the form in which a breakdown is edited. */
export function breakdownDrafts(breakdown: Breakdown | undefined, most = 10) {
  if (breakdown === undefined) return {};
  const { property, ranges, and = [], limit = most } = breakdown;
  return {
    breakdown: [{ property, ranges }, ...and].map(
      (one): BreakdownDraft => ({ property: one.property, ranges: (one.ranges ?? []).join(', ') }),
    ),
    limit,
  };
}
