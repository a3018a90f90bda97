import { moved } from '@switchboard/engine';
import { parseContent } from '@switchboard/report-content';
import { serveCalls } from '@switchboard/runtime/threads';
import { picturesOf } from '../render/chart/pictures.ts';
import { createLocale, type Locale } from '../render/locale.ts';
import { localise } from '../render/localise.ts';
import { renderPage } from '../render/render.ts';
import type { PageLanguage } from '../texts/languages.ts';
import type { Asked, AskedCharts, ChartPicture, ThreadCalls } from './calls.ts';
import { pngOf } from './png.ts';

/** The entry point of the worker thread. See `createRenderer`. */

const locales = new Map<PageLanguage, Locale>();
function localeOf(language: PageLanguage): Locale {
  const known = locales.get(language) ?? createLocale(language);
  locales.set(language, known);
  return known;
}

async function draw({ report, name, width, language }: AskedCharts): Promise<ChartPicture[]> {
  const locale = localeOf(language);
  const parsed = parseContent(JSON.parse(report));
  if (parsed === undefined) return [];
  const content = localise(parsed, locale.texts);
  const drawn: ChartPicture[] = [];
  for (const { svg, ...more } of await picturesOf(content, content.title ?? name, width, locale)) {
    drawn.push({ ...more, png: await pngOf(svg) });
  }
  return moved(
    drawn,
    drawn.map(({ png }) => png),
  );
}

serveCalls<ThreadCalls>({
  render: ({ shown, language }: Asked) => renderPage(shown, localeOf(language)),
  draw,
});
