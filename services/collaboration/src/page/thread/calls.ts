import type { Picture } from '../render/chart/pictures.ts';
import type { Shown } from '../render/render.ts';
import type { PageLanguage } from '../texts/languages.ts';

/** The input for rendering a page. */
export interface Asked {
  shown: Shown;
  language: PageLanguage;
}

/** The input for drawing the charts of a report. */
export interface AskedCharts {
  /** The content of a run, as JSON. */
  report: string;
  /** The name of the report, for content without a title. */
  name: string;
  /** The width of the charts in pixels. */
  width: number;
  language: PageLanguage;
}

/** A chart as PNG, with two pixels for each one of its width. */
export interface ChartPicture extends Omit<Picture, 'svg'> {
  png: Uint8Array;
}

export interface ThreadCalls {
  render(asked: Asked): Promise<string>;
  draw(asked: AskedCharts): Promise<ChartPicture[]>;
}
