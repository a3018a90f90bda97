import type { InsightQuery, ReportContent } from '@switchboard/contracts';
import { BadRequest, Unavailable } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import { UnusableRange } from '../calendar/calendar.ts';
import type { People } from '../people/people.ts';
import type { QueryQueue } from '../query-queue/query-queue.ts';
import { answer } from '../questions/answer.ts';
import { scopeOf } from '../questions/scope.ts';
import { type Answers, type Asked, jsonOf } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';

export interface Insights {
  /** Answers a question with a report. Throws BadRequest and Unavailable. */
  ask(projectId: string, question: InsightQuery): Promise<Asked<{ report: ReportContent }>>;
}

interface InsightsOptions {
  queue: QueryQueue;
  answers: Answers;
  people: Pick<People, 'of'>;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
}

const HOUR_MS = 3_600_000;
const RETRY_SECONDS = 10;

export function createInsights({ queue, answers, people, watermark, clock }: InsightsOptions): Insights {
  return {
    async ask(projectId, question) {
      const now = clock.now().getTime();
      const asOf = watermark.asOf();
      // Which periods have ended is only known once `asOf` is known.
      if (question.kind === 'retention' && asOf === 0) throw notKnownYet();
      const { span, ...scope } = inBounds(() => scopeOf(question, now));
      const { cohorts, wanted, version } = await people.of(projectId, question);
      const signal = queue.deadline();
      const found = await queue.find({ projectId, ...scope, people: wanted }, { signal });
      // A retention period can end without new events, so these answers are kept for an hour at most.
      const hour = question.kind === 'retention' ? Math.floor(asOf / HOUR_MS) : 0;
      return answers.to([projectId, question, span, hour, version, found.version], asOf, async () => {
        const report = await queue.answer(
          projectId,
          found,
          (source, query) => answer(question, { source: { ...source, cohorts }, now, asOf, query }),
          { signal },
        );
        return jsonOf({ report });
      });
    },
  };
}

const notKnownYet = () =>
  new Unavailable('Insights are still starting. Retry after the time in Retry-After.', RETRY_SECONDS);

function inBounds<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof UnusableRange)) throw error;
    throw new BadRequest(`range: ${error.message}`);
  }
}
