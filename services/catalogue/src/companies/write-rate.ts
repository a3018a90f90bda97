import { createRateLimits } from '@switchboard/http';

/** Limits the rate of changes to a company's directory entries. For use with `implement`. */
export interface WriteRate {
  /** Throws RateLimited when the company of the request exceeds its limit. */
  authorize(c: { env: { companyId?: string } }): Promise<void>;
  /** Does the same as `authorize` when only the body names the company. */
  consume(companyId: string): Promise<void>;
}

/** A script may import a directory at ten entries per second, and a faulty loop does not flood the event log. */
export const WRITES_PER_MINUTE = 600;

export function createWriteRate(perMinute: number): WriteRate {
  const createLimit = createRateLimits(undefined);
  const limit = createLimit({ name: 'changes of a company', points: perMinute, durationSeconds: 60 });
  return {
    async authorize({ env: { companyId } }) {
      if (companyId !== undefined) await limit.consume(companyId);
    },
    consume: (companyId) => limit.consume(companyId),
  };
}
