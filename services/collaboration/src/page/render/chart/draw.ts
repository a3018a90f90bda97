import type { TopLevelSpec } from 'vega-lite';
import type { Mark } from '../days.ts';
import type { ReportContent } from '../format.ts';
import { drawFunnel } from './funnel.ts';
import { drawGrid } from './grid.ts';
import { drawOverBuckets } from './over-buckets.ts';
import type { Size } from './theme.ts';

declare module 'vega' {
  /** How wide texts are taken to be; vega-scenegraph exports it, its types leave it out. */
  export const textMetrics: { width(item: { fontSize?: number }, text: unknown): number };
}

/** A drawing as SVG markup, for a wide page and paper, and for a phone. */
export interface Drawings {
  wide: string;
  narrow: string;
}

let loading: Promise<[typeof import('vega'), typeof import('vega-lite')]> | undefined;

/** Vega takes a third of a second to load: the first page waits for it, not the start of the service. */
function load() {
  loading ??= Promise.all([import('vega'), import('vega-lite')]).then((modules) => {
    modules[0].textMetrics.width = textWidth;
    return modules;
  });
  return loading;
}

const WIDE_LETTERS = /[\u1100-\u11ff\u2e80-\uffef]|[\u{1f000}-\u{3ffff}]/gu;

/** Without a canvas Vega takes every letter for as wide as an M, and cuts labels that have room. */
function textWidth({ fontSize = 11 }: { fontSize?: number }, text: unknown): number {
  const line = String(text ?? '');
  const wide = line.match(WIDE_LETTERS)?.length ?? 0;
  return Math.round((line.length * 0.58 + wide * 0.45) * fontSize);
}

function specOf(content: ReportContent, marks: Mark[], size: Size): TopLevelSpec {
  if (content.kind === 'funnel') return drawFunnel(content, size);
  if (content.kind === 'grid') return drawGrid(content, size);
  return drawOverBuckets(content, marks, size);
}

/** Draws the content with Vega, without a browser. The markup has no styles, scripts or addresses in it. */
export async function draw(content: ReportContent, marks: Mark[]): Promise<Drawings> {
  const [{ parse, View }, { compile }] = await load();
  const render = async (size: Size) => {
    const view = new View(parse(compile(specOf(content, marks, size)).spec), { renderer: 'none' });
    const svg = await view.toSVG();
    view.finalize();
    return svg;
  };
  return {
    wide: await render({ width: 880, isNarrow: false }),
    narrow: await render({ width: 340, isNarrow: true }),
  };
}
