import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Bytes, type Encoding, encodeAll } from '@switchboard/http';
import { noReads, type Reads } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import type { Annotations } from '../annotations/annotations.ts';
import type { Shared, SharedLinks, SharedReport } from '../shared-links/shared-links.ts';
import { createLocale, type Locale } from './render/locale.ts';
import {
  type ParsedRun,
  parseRun,
  renderCsv,
  type Shown,
  type ShownReport,
  type ShownTile,
} from './render/render.ts';
import type { PageLanguage } from './texts/languages.ts';
import type { Renderer } from './thread/renderer.ts';

/** The maximum number of annotations on a page. */
const MAX_NOTES = 50;
/** The maximum size of cached compressed pages. */
const MAX_CACHED_BYTES = 16 * 1024 * 1024;
/** The maximum size of cached parsed runs, by their JSON. */
const MAX_PARSED_BYTES = 16 * 1024 * 1024;

/** A cached page. Few clients ask for it uncompressed. */
type Compressed = Record<'br' | 'gzip', Bytes>;
const decompress = promisify<Uint8Array, Buffer<ArrayBuffer>>(gunzip);

interface PageOptions {
  sharedLinks: SharedLinks;
  annotations: Pick<Annotations, 'listNotes'>;
  renderer: Pick<Renderer, 'render'>;
}

/** The page that a public link opens. */
export interface Page {
  /** Returns the HTML in this encoding. Throws Unavailable, and the errors of reading a shared link. */
  read(token: string, address: string, language: PageLanguage, encoding: Encoding): Promise<Bytes>;
  /**
   * Returns the values of the report, or of a tile of the dashboard, as CSV with a file name. Undefined if there is no
   * such tile or it has no chart. Throws like `read`.
   */
  values(
    token: string,
    address: string,
    language: PageLanguage,
    tile: number,
  ): Promise<{ name: string; csv: string } | undefined>;
  /** Returns the texts and formats of the language. */
  locale(language: PageLanguage): Locale;
  /** The number of pages read so far, by whether they were cached. */
  reads(): Readonly<Reads>;
}

/** Renders a page once for each run, language, and state of its names and annotations. */
export function createPage({ sharedLinks, annotations, renderer }: PageOptions): Page {
  const pages = new LRUCache<string, Compressed>({
    maxSize: MAX_CACHED_BYTES,
    sizeCalculation: ({ br, gzip }) => br.length + gzip.length,
  });
  const reads = noReads();
  const rendering = new Map<string, Promise<Compressed>>();
  const parsed = new LRUCache<string, ParsedRun>({
    maxSize: MAX_PARSED_BYTES,
    sizeCalculation: ({ size }) => size,
  });

  function parse(shared: Pick<SharedReport, 'run'>): ParsedRun {
    const runId = shared.run?.runId ?? 'none';
    const run = parsed.get(runId) ?? parseRun(shared);
    parsed.set(runId, run);
    return run;
  }

  const locales = new Map<PageLanguage, Locale>();
  function locale(language: PageLanguage): Locale {
    const known = locales.get(language) ?? createLocale(language);
    locales.set(language, known);
    return known;
  }

  async function render(
    key: string,
    shown: Shown,
    language: PageLanguage,
    projectId: string,
  ): Promise<Compressed> {
    try {
      const { br, gzip } = await encodeAll(await renderer.render({ shown, language }, projectId));
      pages.set(key, { br, gzip });
      return { br, gzip };
    } finally {
      rendering.delete(key);
    }
  }

  async function shownReport(projectId: string, { report, run }: SharedReport): Promise<ShownReport> {
    const { days } = parse({ run });
    const notes =
      days === undefined || report.publicAnnotations !== true
        ? []
        : await annotations.listNotes(projectId, { ...days, reportId: report.id }, MAX_NOTES);
    return { name: report.name, run, notes };
  }

  async function shownOf(shared: Shared): Promise<Shown> {
    const { project, expiresOn, kind } = shared;
    const common = { project: project.name, expiresOn };
    if (kind === 'report') return { ...common, kind, ...(await shownReport(project.id, shared)) };
    const { name, description } = shared;
    const tiles: ShownTile[] = [];
    for (const tile of shared.tiles) {
      const { x, w, h } = tile;
      if ('text' in tile) tiles.push(tile);
      else tiles.push({ x, w, h, isTooLarge: tile.isTooLarge, ...(await shownReport(project.id, tile)) });
    }
    return { ...common, kind, name, description, tiles };
  }

  async function compressed(token: string, address: string, language: PageLanguage): Promise<Compressed> {
    const shared = await sharedLinks.read(token, address);
    const shown = await shownOf(shared);
    const key = keyOf(shared, shown, language);
    const known = pages.get(key) ?? rendering.get(key);
    reads[known === undefined ? 'misses' : 'hits']++;
    if (known !== undefined) return known;
    const page = render(key, shown, language, shared.project.id);
    rendering.set(key, page);
    return page;
  }

  return {
    locale,
    reads: () => reads,

    async values(token, address, language, tile) {
      const shared = await sharedLinks.read(token, address);
      const part = shared.kind === 'report' ? shared : shared.tiles[tile - 1];
      if (part === undefined || 'text' in part) return undefined;
      return renderCsv(part.report, parse(part), locale(language));
    },

    async read(token, address, language, encoding) {
      const page = await compressed(token, address, language);
      return encoding === 'identity' ? new Uint8Array(await decompress(page.gzip)) : page[encoding];
    },
  };
}

/** Identifies a page by everything that it shows. Runs are named instead of hashed, because their content is large. */
function keyOf(shared: Shared, shown: Shown, language: PageLanguage): string {
  const runs = shared.kind === 'report' ? [shared] : shared.tiles;
  const names = runs.map((part) => ('run' in part ? part.run?.runId : undefined));
  const withoutRuns =
    shown.kind === 'report'
      ? { ...shown, run: undefined }
      : { ...shown, tiles: shown.tiles.map((tile) => ({ ...tile, run: undefined })) };
  return createHash('sha256')
    .update(JSON.stringify([withoutRuns, names, language]))
    .digest('base64url');
}
