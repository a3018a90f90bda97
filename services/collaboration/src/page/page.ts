import { createHash } from 'node:crypto';
import { noReads, type Reads } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';
import type { Annotations, Note } from '../annotations/annotations.ts';
import type { SharedReport, SharedReports } from '../shared-reports/shared-reports.ts';
import { createLocale, type Locale } from './render/locale.ts';
import { type ParsedRun, parseRun, renderCsv, renderReport } from './render/render.ts';
import type { PageLanguage } from './texts/languages.ts';

/** The page shows the first. */
const MAX_NOTES = 50;
const MAX_CACHED_CHARACTERS = 16 * 1024 * 1024;

interface PageOptions {
  sharedReports: SharedReports;
  annotations: Pick<Annotations, 'listNotes'>;
}

/** The page that a public link opens. */
export interface Page {
  /** Returns HTML. Throws what reading a shared report throws. */
  read(token: string, address: string, language: PageLanguage): Promise<string>;
  /** The values as CSV with a name; undefined where the report has no chart. Throws like `read`. */
  values(
    token: string,
    address: string,
    language: PageLanguage,
  ): Promise<{ name: string; csv: string } | undefined>;
  /** The language's words and forms. */
  locale(language: PageLanguage): Locale;
  /** Pages read so far, by whether they were in memory. */
  reads(): Readonly<Reads>;
}

/** A page is rendered once for each run and each state of the names and annotations on it, in each language. */
export function createPage({ sharedReports, annotations }: PageOptions): Page {
  const pages = new LRUCache<string, string>({
    maxSize: MAX_CACHED_CHARACTERS,
    sizeCalculation: (page) => page.length,
  });
  const reads = noReads();
  const rendering = new Map<string, Promise<string>>();
  const parsed = new LRUCache<string, ParsedRun>({
    maxSize: MAX_CACHED_CHARACTERS,
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
    shared: SharedReport,
    run: ParsedRun,
    notes: Note[],
    language: PageLanguage,
  ): Promise<string> {
    try {
      const page = await renderReport(shared, run, notes, locale(language));
      pages.set(key, page);
      return page;
    } finally {
      rendering.delete(key);
    }
  }

  return {
    locale,
    reads: () => reads,

    async values(token, address, language) {
      const shared = await sharedReports.read(token, address);
      return renderCsv(shared, parse(shared), locale(language));
    },

    async read(token, address, language) {
      const shared = await sharedReports.read(token, address);
      const { project, report, run, expiresOn } = shared;
      const parsedRun = parse(shared);
      const { days } = parsedRun;
      const notes =
        days === undefined || report.publicAnnotations !== true
          ? []
          : await annotations.listNotes(project.id, { ...days, reportId: report.id }, MAX_NOTES);
      const shown = JSON.stringify([project.name, report.name, run?.runId, expiresOn, notes, language]);
      const key = createHash('sha256').update(shown).digest('base64url');
      const known = pages.get(key) ?? rendering.get(key);
      reads[known === undefined ? 'misses' : 'hits']++;
      if (known !== undefined) return known;
      const page = render(key, shared, parsedRun, notes, language);
      rendering.set(key, page);
      return page;
    },
  };
}
