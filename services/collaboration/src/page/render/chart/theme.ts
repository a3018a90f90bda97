import { series } from '@switchboard/design';
import type { Config } from 'vega-lite';

/** The number of series that have a colour. */
export const COLOURS = series.length;

/** Returns a CSS variable of the page, so that one drawing works on light and dark backgrounds and on paper. */
export const seriesColour = (index: number) =>
  index < COLOURS ? `var(--series-${index + 1})` : 'var(--text-muted)';

/** Pixels. */
export const LABEL_SIZE = 12;

export const CONFIG: Config = {
  background: 'transparent',
  aria: false, // The drawing is a single image with alternative text. The table has the values.
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: 'var(--text-muted)',
    gridColor: 'var(--line)',
    domainColor: 'var(--line)',
    tickColor: 'var(--line)',
    labelFontSize: LABEL_SIZE,
    labelPadding: 6,
  },
};

export interface Size {
  width: number;
  height: number;
}
