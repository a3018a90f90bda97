import type { InsightQuery } from '@switchboard/contracts';
import { noReads, type Reads } from '@switchboard/resilience';
import { BadRequest, type Clock, etagOf, type Prepared } from '@switchboard/service-kit';
import { LRUCache } from 'lru-cache';
import type { People } from '../people/people.ts';
import { answer } from '../questions/answer.ts';
import { TooManyBuckets } from '../questions/calendar.ts';
import { scopeOf } from '../questions/scope.ts';
import type { Watermark } from '../watermark/watermark.ts';
import type { Desk } from './desk.ts';

export interface Insights {
  /**
   * Answers a question, with an ETag that changes when there are newer events. Where `known` is that ETag, nothing is
   * computed. Throws BadRequest and Unavailable.
   */
  ask(projectId: string, question: InsightQuery): Promise<Asked>;
  /** Answers so far, by whether they were in memory. */
  reads(): Readonly<Reads>;
}

/** A question whose answer can be told from earlier ones before it is computed. */
export interface Asked {
  etag: string;
  answer(): Promise<Prepared>;
}

interface InsightsOptions {
  desk: Desk;
  people: Pick<People, 'of' | 'read'>;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
  cacheBytes: number;
}

const HOUR_MS = 3_600_000;

/** Answers questions, the same one asked at a time once. */
export function createInsights({ desk, people, watermark, clock, cacheBytes }: InsightsOptions): Insights {
  /** Reports as JSON. */
  const answered = new LRUCache<string, string>({
    maxSize: cacheBytes,
    sizeCalculation: (report) => report.length * 2 + 200,
  });
  const reads = noReads();
  const running = new Map<string, Promise<string>>();

  return {
    reads: () => reads,

    async ask(projectId, question) {
      const now = clock.now().getTime();
      const asOf = watermark.asOf();
      const { span, ...scope } = inBounds(() => scopeOf(question, now));
      const { cohorts, wanted, version } = await people.of(projectId, question);
      const events = await desk.find({ projectId, ...scope });
      // Whether a period of retention is over changes without events: its answers are kept for an hour at most.
      const hour = question.kind === 'retention' ? Math.floor(asOf / HOUR_MS) : 0;
      const etag = etagOf(JSON.stringify([projectId, question, span, hour, version, events.version]));

      async function compute(): Promise<string> {
        const report = await desk.answer(projectId, events, (source, query, signal) =>
          people.read(projectId, wanted, signal, (known) =>
            answer(question, { source: { ...source, people: known, cohorts }, now, asOf, query }),
          ),
        );
        const json = JSON.stringify(report);
        answered.set(etag, json);
        return json;
      }

      async function reportOf(): Promise<string> {
        const kept = answered.get(etag);
        reads[kept === undefined ? 'misses' : 'hits']++;
        if (kept !== undefined) return kept;
        const found = running.get(etag) ?? compute().finally(() => running.delete(etag));
        running.set(etag, found);
        return found;
      }

      return {
        etag,
        async answer() {
          return { body: `{"asOf":"${new Date(asOf).toISOString()}","report":${await reportOf()}}`, etag };
        },
      };
    },
  };
}

function inBounds<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof TooManyBuckets)) throw error;
    throw new BadRequest(`range: ${error.message}; ask for a longer interval or a shorter range`);
  }
}
