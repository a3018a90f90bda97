import type { AnchorRequest } from '@switchboard/contracts';
import { UnusableQuery } from '../conditions/clauses.ts';

/** The anchor that names one value of a result. */
export type Point = AnchorRequest;

/** Returns the index of a name in a result. Throws UnusableQuery, with the names that exist. */
export function placeIn(names: readonly string[], name: string | null | undefined, field: string): number {
  const place = name == null ? -1 : names.indexOf(name);
  if (place === -1) throw new UnusableQuery(`point.${field}: must be one of ${shown(names)}`);
  return place;
}

/** Returns the index of the series. With one series, its name is optional. */
export function seriesAt(names: readonly string[], { metric }: Point): number {
  return metric == null && names.length === 1 ? 0 : placeIn(names, metric, 'metric');
}

/** Returns a number of a point between two others. Throws UnusableQuery. */
export function numberIn(
  value: number | null | undefined,
  least: number,
  most: number,
  field: string,
): number {
  if (value == null || value < least || value > most) {
    throw new UnusableQuery(`point.${field}: must be a number from ${least} to ${most}`);
  }
  return value;
}

const MAX_SHOWN = 20;

function shown(names: readonly string[]): string {
  const more = names.length > MAX_SHOWN ? ', ...' : '';
  return names
    .slice(0, MAX_SHOWN)
    .map((name) => JSON.stringify(name))
    .join(', ')
    .concat(more);
}
