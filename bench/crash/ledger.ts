import type { Project } from './traffic.ts';

/** One request of a client, with every try of it. */
export interface Request {
  kind: 'events' | 'identify' | 'group' | 'replay';
  project: Project;
  round: number;
  /** Its items are numbered `first`, `first + 1`, ... */
  first: number;
  count: number;
  /** From a device whose clock is a year behind. */
  isLate: boolean;
  /** 202, or the status of a request that is invalid on purpose. */
  expected: number;
  /** The status of each try; 0 when the connection broke or the client hung up. */
  statuses: number[];
  /** How often it was sent again after it had been accepted, as by a client that missed the response. */
  repeats: number;
  /** An error response without a message. */
  unexplained?: string;
}

/**
 * What the client knows in the end. Every response of `refused` was a 503, and at least one try of `unanswered` had no
 * response: these two may be stored or not.
 */
export type Outcome = 'accepted' | 'rejected' | 'refused' | 'unanswered';

export function outcomeOf({ statuses }: Request): Outcome {
  if (statuses.includes(202)) return 'accepted';
  if (statuses.some((status) => status >= 400 && status < 500)) return 'rejected';
  return statuses.every((status) => status === 503) ? 'refused' : 'unanswered';
}

/** Whether the items of a request must be stored. */
export function certainty(request: Request): 'yes' | 'no' | 'maybe' {
  if (request.expected !== 202) return 'no';
  const outcome = outcomeOf(request);
  if (outcome === 'accepted') return 'yes';
  return outcome === 'rejected' ? 'no' : 'maybe';
}

export function numbersOf({ first, count }: Request): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** What is wrong with the responses alone: an unexpected status, or an error without a message. */
export function answerFaults(requests: readonly Request[]): string[] {
  return requests.flatMap((request) => {
    const wrong = request.statuses.filter((status) => ![0, 503, request.expected].includes(status));
    const name = `${request.kind} ${request.project} r${request.round} ${request.first}`;
    return [
      ...(wrong.length > 0 ? [`${name}: answered ${wrong.join(', ')}, expected ${request.expected}`] : []),
      ...(request.unexplained === undefined
        ? []
        : [`${name}: error without a message: ${request.unexplained}`]),
    ];
  });
}
