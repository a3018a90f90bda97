import type { Config } from 'vega-lite';

/** So many series have a colour of their own. */
export const COLOURS = 12;

/** Series colours are CSS variables of the page, so that one drawing is right on light, dark and paper. */
export const seriesColour = (index: number) =>
  index < COLOURS ? `var(--series-${index + 1})` : 'var(--others)';

/** Pixels. */
export const LABEL_SIZE = 12;

export const CONFIG: Config = {
  background: 'transparent',
  aria: false, // The drawing is one picture with a text alternative; its table has the values.
  font: 'system-ui, sans-serif',
  view: { stroke: null },
  axis: {
    labelColor: 'var(--muted)',
    gridColor: 'var(--grid)',
    domainColor: 'var(--grid)',
    tickColor: 'var(--grid)',
    labelFontSize: LABEL_SIZE,
    labelPadding: 6,
  },
};

export interface Size {
  width: number;
  height: number;
}
