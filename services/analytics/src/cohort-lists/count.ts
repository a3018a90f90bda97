import type { Combination, DidCondition } from '@switchboard/contracts';
import { jsonOf, type Result, type Results } from '../results/results.ts';
import type { Watermark } from '../watermark/watermark.ts';
import type { Computation } from './compute.ts';

interface Conditions {
  did: readonly DidCondition[];
  combine: Combination;
}

/** Counts the people of a project who fulfill conditions. Throws BadRequest and Unavailable. */
export type CountPeople = (projectId: string, conditions: Conditions) => Result<{ size: number }>;

interface CountPeopleOptions {
  compute: Pick<Computation, 'sizeOf'>;
  results: Results;
  watermark: Pick<Watermark, 'asOf'>;
  deadline: () => AbortSignal;
}

export function createCountPeople({
  compute,
  results,
  watermark,
  deadline,
}: CountPeopleOptions): CountPeople {
  return (projectId, conditions) => {
    const asOf = watermark.asOf();
    return results.of(['count of people', projectId, conditions, asOf], asOf, async () =>
      jsonOf({ size: await compute.sizeOf(projectId, conditions, deadline()) }),
    );
  };
}
