import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AnnotationStore } from '../annotations/store.ts';
import type { SharedReport, SharedReports } from '../public-links/shared-reports.ts';
import { type Noted, readShown, renderReport, type Shown } from './render.ts';

const CACHED_CHARACTERS = 16 * 1024 * 1024;

interface PageOptions {
  sharedReports: SharedReports;
  annotations: Pick<AnnotationStore, 'overlapping'>;
}

/** The page of a public link. A page is drawn once for each run and state of what stands around it. */
export function createPage({ sharedReports, annotations }: PageOptions) {
  const pages = new LRUCache<string, string>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: (page) => page.length,
  });
  const drawing = new Map<string, Promise<string>>();
  const read = new LRUCache<string, Shown>({
    maxSize: CACHED_CHARACTERS,
    sizeCalculation: ({ size }) => size,
  });

  function shownOf(shared: SharedReport): Shown {
    const runId = shared.run?.runId ?? 'none';
    const known = read.get(runId) ?? readShown(shared);
    read.set(runId, known);
    return known;
  }

  async function drawn(key: string, shared: SharedReport, what: Shown, notes: Noted[]): Promise<string> {
    try {
      const page = await renderReport(shared, what, notes);
      pages.set(key, page);
      return page;
    } finally {
      drawing.delete(key);
    }
  }

  async function notesOn({ project, report }: SharedReport, days: { from: string; to: string } | undefined) {
    if (days === undefined) return [];
    const rows = await annotations.overlapping(project.id, { ...days, reportId: report.id });
    return rows.map(({ startsOn, endsOn, text, tags }): Noted => ({ startsOn, endsOn, text, tags }));
  }

  return {
    /** The page as markup. Throws what reading a link throws. */
    async read(token: string, address: string): Promise<string> {
      const shared = await sharedReports.read(token, address);
      const { project, report, run, expiresOn } = shared;
      const what = shownOf(shared);
      const notes = await notesOn(shared, what.days);
      const facts = JSON.stringify([project.name, report.name, run?.runId, expiresOn, notes]);
      const key = createHash('sha256').update(facts).digest('base64url');
      const known = pages.get(key) ?? drawing.get(key);
      if (known !== undefined) return known;
      const made = drawn(key, shared, what, notes);
      drawing.set(key, made);
      return made;
    },
  };
}
