import { drawPaths, type Paths } from '@switchboard/report-content';
import type { Locale } from '../locale.ts';
import { type Markup, markup, nothing } from '../markup.ts';
import { fitting } from './text-width.ts';
import { LABEL_SIZE, seriesColour } from './theme.ts';

const WIDTH = 760;
const TEXT_GAP = 6;
const LINE = 16;

interface Names {
  title: string;
  /** The prefix of the ids of its elements. */
  id: string;
}

/** Renders paths as bands between the events of each level, as wide as their people are many. */
export function pathsFigure(
  content: Paths,
  names: Names & { width?: number | undefined },
  locale: Locale,
): Markup {
  const width = Math.max(names.width ?? WIDTH, WIDTH);
  const drawing = drawPathsOf(content, { ...names, width }, locale);
  return markup`<figure class="card paths"><div class="scroll" tabindex="0" role="group" aria-label="${locale.texts.chart}">${drawing}</div></figure>`;
}

/** Draws paths as an `svg` element. */
export function drawPathsOf(
  content: Paths,
  { title, id, width }: Names & { width: number },
  locale: Locale,
): Markup {
  const { height, pitch, bar, nodes, links } = drawPaths(content, width);
  const { number, share, texts } = locale;
  const total = Math.max(0, ...content.levels.map((of) => of.reduce((sum, { count }) => sum + count, 0)));
  const nameOf = (level: number, place: number) => content.levels[level]?.[place]?.name ?? '';
  const bands = links.map(({ d, link: { level, from, to, count } }) => {
    const about = `${nameOf(level, from)} → ${nameOf(level + 1, to)}: ${number(count)}`;
    return markup`<path d="${d}" fill="${seriesColour(0)}" fill-opacity=".25"><title>${about}</title></path>`;
  });
  const room = pitch - bar - TEXT_GAP * 2;
  const bars = nodes.map(({ x, y, height: size, ended, node: { name, count } }) => {
    const lost =
      ended === 0
        ? nothing
        : markup`<rect x="${x}" y="${y + size - ended}" width="${bar}" height="${ended}" fill="var(--text-muted)"/>`;
    const left = x + bar + TEXT_GAP;
    const about = `${number(count)} · ${share(total === 0 ? null : count / total)}`;
    return markup`<g><title>${name}\n${about}</title><rect x="${x}" y="${y}" width="${bar}" height="${Math.max(size, 1)}" fill="${seriesColour(0)}"/>${lost}<text class="path" x="${left}" y="${y + 12}">${fitting(name, room, LABEL_SIZE)}</text><text class="path muted" x="${left}" y="${y + 12 + LINE}">${about}</text></g>`;
  });
  return markup`<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="${id}-title" aria-describedby="${id}-summary" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title id="${id}-title">${title}</title><desc id="${id}-summary">${texts.inTable}</desc>${bands}${bars}</svg>`;
}
