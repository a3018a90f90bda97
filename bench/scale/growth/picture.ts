import { draw, type Panel } from '../../lib/picture.ts';
import type { Bound, Series } from './path.ts';

/**
 * Draws the milliseconds of series as SVG: paths that must stay constant beside paths that grow with the response.
 */
export function growthPicture(all: Series[]): string {
  const panel = (title: string, bound: Bound): Panel => ({
    title,
    axes: { up: 'ms per request', right: 'times as much stored', to: 1_000 },
    lines: all
      .filter((one) => one.unit === 'ms' && one.bound === bound)
      .map(({ name, unit, points }) => {
        const base = points[0]?.size ?? 1;
        return { name, unit, points: points.map(({ size, value }) => ({ x: size / base, value })) };
      }),
  });
  return draw('Time per request as data grow', [
    panel('Independent of how much is stored', 'constant'),
    panel('In proportion to the data read or returned', 'linear'),
  ]);
}
