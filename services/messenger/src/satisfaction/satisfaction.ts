import type { Satisfaction, SatisfactionRating } from '@switchboard/contracts';
import { Conflict } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Publisher } from '../publishing/publisher.ts';
import type { Resolution, SatisfactionStore } from './store.ts';

interface SatisfactionOptions {
  store: SatisfactionStore;
  publisher: Pick<Publisher, 'publishToAgents'>;
  clock: Clock;
}

/** A rating can be changed for a day. */
const CHANGEABLE_MS = 86_400_000;

export type Satisfactions = ReturnType<typeof createSatisfaction>;

/** Asks visitors to rate resolved conversations. */
export function createSatisfaction({ store, publisher, clock }: SatisfactionOptions) {
  function present(resolution: Resolution | undefined): Satisfaction {
    if (resolution === undefined) return { asked: false, score: null, comment: null, changeableUntil: null };
    const { isAsked, score, comment, ratedAt } = resolution;
    const until = ratedAt && new Date(ratedAt.getTime() + CHANGEABLE_MS);
    return {
      asked: isAsked && (until === null || until > clock.now()),
      score,
      comment,
      changeableUntil: until?.toISOString() ?? null,
    };
  }

  return {
    read: async (conversationId: string) => present(await store.resolution(conversationId)),

    /** Stores the rating of the last resolution. Throws Conflict if the visitor is not asked for one. */
    async rate(
      projectId: string,
      conversationId: string,
      { score, comment = null }: SatisfactionRating,
    ): Promise<Satisfaction> {
      const resolution = await store.resolution(conversationId);
      const at = clock.now();
      if (resolution === undefined || !present(resolution).asked) throw notAsked();
      const { resolvedAt } = resolution;
      const changeableFrom = new Date(at.getTime() - CHANGEABLE_MS);
      const rating = { conversationId, resolvedAt, score, comment, at, changeableFrom };
      if (!(await store.rate(rating))) throw notAsked();
      publisher.publishToAgents(projectId, { kind: 'changed', conversationId });
      return present({ ...resolution, score, comment, ratedAt: resolution.ratedAt ?? at });
    },
  };
}

const notAsked = () => new Conflict('The conversation cannot be rated now.');
