import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip } from 'node:zlib';
import { type Bytes, type Encoding, encodeAll } from '@switchboard/http';
import { noReads, type Reads } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import type { Annotations, Note } from '../annotations/annotations.ts';
import type { SharedReport, SharedReports } from '../shared-reports/shared-reports.ts';
import { createLocale, type Locale } from './render/locale.ts';
import { type ParsedRun, parseRun, renderCsv } from './render/render.ts';
import type { PageLanguage } from './texts/languages.ts';
import { createRenderer } from './thread/renderer.ts';

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
  sharedReports: SharedReports;
  annotations: Pick<Annotations, 'listNotes'>;
}

/** The page that a public link opens. */
export interface Page {
  /** Returns the HTML in this encoding. Throws Unavailable, and the errors of reading a shared report. */
  read(token: string, address: string, language: PageLanguage, encoding: Encoding): Promise<Bytes>;
  /** Returns the values as CSV with a file name, or undefined if the report has no chart. Throws like `read`. */
  values(
    token: string,
    address: string,
    language: PageLanguage,
  ): Promise<{ name: string; csv: string } | undefined>;
  /** Returns the texts and formats of the language. */
  locale(language: PageLanguage): Locale;
  /** The number of pages read so far, by whether they were cached. */
  reads(): Readonly<Reads>;
  stop(): Promise<void>;
}

/** Renders a page once for each run, language, and state of its names and annotations. */
export function createPage({ sharedReports, annotations }: PageOptions): Page {
  const renderer = createRenderer();
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

  function parse(shared: SharedReport): ParsedRun {
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
    { project, report, expiresOn, run }: SharedReport,
    notes: Note[],
    language: PageLanguage,
  ): Promise<Compressed> {
    try {
      const shown = { project: { name: project.name }, report: { name: report.name }, expiresOn, run };
      const { br, gzip } = await encodeAll(await renderer.render({ shown, notes, language }, project.id));
      pages.set(key, { br, gzip });
      return { br, gzip };
    } finally {
      rendering.delete(key);
    }
  }

  async function compressed(token: string, address: string, language: PageLanguage): Promise<Compressed> {
    const shared = await sharedReports.read(token, address);
    const { project, report, run, expiresOn } = shared;
    const { days } = parse(shared);
    const notes =
      days === undefined || report.publicAnnotations !== true
        ? []
        : await annotations.listNotes(project.id, { ...days, reportId: report.id }, MAX_NOTES);
    const shown = JSON.stringify([project.name, report.name, run?.runId, expiresOn, notes, language]);
    const key = createHash('sha256').update(shown).digest('base64url');
    const known = pages.get(key) ?? rendering.get(key);
    reads[known === undefined ? 'misses' : 'hits']++;
    if (known !== undefined) return known;
    const page = render(key, shared, notes, language);
    rendering.set(key, page);
    return page;
  }

  return {
    locale,
    reads: () => reads,
    stop: renderer.stop,

    async values(token, address, language) {
      const shared = await sharedReports.read(token, address);
      return renderCsv(shared, parse(shared), locale(language));
    },

    async read(token, address, language, encoding) {
      const page = await compressed(token, address, language);
      return encoding === 'identity' ? new Uint8Array(await decompress(page.gzip)) : page[encoding];
    },
  };
}
