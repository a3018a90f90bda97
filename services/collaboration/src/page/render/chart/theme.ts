import { series } from '@switchboard/design';
import type { Config } from 'vega-lite';

/** The number of series with a colour of their own. */
export const COLOURS = series.length;

/** Series colours are CSS variables of the page, so that one drawing is right on light, dark and paper. */
export const seriesColour = (index: number) =>
  index < COLOURS ? `var(--series-${index + 1})` : 'var(--text-muted)';

/** Pixels. */
export const LABEL_SIZE = 12;

export const CONFIG: Config = {
  background: 'transparent',
  aria: false, // The drawing is one picture with a text alternative; its table has the values.
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
