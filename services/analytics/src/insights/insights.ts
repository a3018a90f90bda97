import type { InsightQuery, ReportContent } from '@switchboard/contracts';
import { BadRequest, type Clock } from '@switchboard/service-kit';
import type { People } from '../people/people.ts';
import { answer } from '../questions/answer.ts';
import { TooManyBuckets } from '../questions/calendar.ts';
import { scopeOf } from '../questions/scope.ts';
import type { Watermark } from '../watermark/watermark.ts';
import type { Answers, Asked } from './answers.ts';
import type { Desk } from './desk.ts';

export interface Insights {
  /** Answers a question with a report. Throws BadRequest and Unavailable. */
  ask(projectId: string, question: InsightQuery): Promise<Asked<{ report: ReportContent }>>;
}

interface InsightsOptions {
  desk: Desk;
  answers: Answers;
  people: Pick<People, 'of' | 'read'>;
  watermark: Pick<Watermark, 'asOf'>;
  clock: Clock;
}

const HOUR_MS = 3_600_000;

export function createInsights({ desk, answers, people, watermark, clock }: InsightsOptions): Insights {
  return {
    async ask(projectId, question) {
      const now = clock.now().getTime();
      const asOf = watermark.asOf();
      const { span, ...scope } = inBounds(() => scopeOf(question, now));
      const { cohorts, wanted, version } = await people.of(projectId, question);
      const events = await desk.find({ projectId, ...scope });
      // Whether a period of retention is over changes without events: its answers are kept for an hour at most.
      const hour = question.kind === 'retention' ? Math.floor(asOf / HOUR_MS) : 0;
      return answers.to([projectId, question, span, hour, version, events.version], asOf, async () => {
        const report = await desk.answer(projectId, events, (source, query, signal) =>
          people.read(projectId, wanted, signal, (known) =>
            answer(question, { source: { ...source, people: known, cohorts }, now, asOf, query }),
          ),
        );
        return { report };
      });
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
