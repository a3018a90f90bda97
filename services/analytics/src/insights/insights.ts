import type { InsightQuery } from '@switchboard/contracts';
import { BadRequest, type Clock, etagOf, type Prepared } from '@switchboard/service-kit';
import { LRUCache } from 'lru-cache';
import { answer } from '../questions/answer.ts';
import { TooManyBuckets } from '../questions/calendar.ts';
import { needsPeople } from '../questions/events.ts';
import { scopeOf } from '../questions/scope.ts';
import type { Watermark } from '../watermark/watermark.ts';
import type { Desk } from './desk.ts';

export interface Insights {
  /**
   * Answers a question, with an ETag that changes when there are newer events. Where `known` is that ETag, nothing is
   * computed. Throws BadRequest and Unavailable.
   */
  ask(projectId: string, question: InsightQuery): Promise<Asked>;
}

/** A question whose answer can be told from earlier ones before it is computed. */
export interface Asked {
  etag: string;
  answer(): Promise<Prepared>;
}

interface InsightsOptions {
  desk: Desk;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
  cacheBytes: number;
}

const HOUR_MS = 3_600_000;

/** Answers questions, the same one asked at a time once. */
export function createInsights({ desk, watermark, clock, cacheBytes }: InsightsOptions): Insights {
  /** Reports as JSON. */
  const answered = new LRUCache<string, string>({
    maxSize: cacheBytes,
    sizeCalculation: (report) => report.length * 2 + 200,
  });
  const running = new Map<string, Promise<string>>();

  return {
    async ask(projectId, question) {
      if (question.cohort !== undefined) throw new BadRequest('cohort: not available to insights yet');
      if (needsPeople(attributesOf(question))) {
        throw new BadRequest('attribute: traits and groups are not available to insights yet');
      }
      const now = clock.now().getTime();
      const asOf = watermark.asOf();
      const { span, ...scope } = inBounds(() => scopeOf(question, now));
      const files = await desk.files({ projectId, ...scope });
      // Whether a period of retention is over changes without events: its answers are kept for an hour at most.
      const hour = question.kind === 'retention' ? Math.floor(asOf / HOUR_MS) : 0;
      const etag = etagOf(JSON.stringify([projectId, question, span, hour, files.map(({ key }) => key)]));

      async function compute(): Promise<string> {
        const report = await desk.answer(projectId, files, (source, query) =>
          answer(question, { source, now, asOf, query }),
        );
        const json = JSON.stringify(report);
        answered.set(etag, json);
        return json;
      }

      async function reportOf(): Promise<string> {
        const kept = answered.get(etag);
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

function attributesOf(question: InsightQuery): string[] {
  const names: string[] = [];
  JSON.stringify(question, (name, value: unknown) => {
    if ((name === 'attribute' || name === 'property') && typeof value === 'string') names.push(value);
    return value;
  });
  return names;
}
