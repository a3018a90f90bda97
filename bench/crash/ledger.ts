import type { Project } from './traffic.ts';

/** One client request, with all its attempts. */
export interface Request {
  kind: 'events' | 'identify' | 'group' | 'replay';
  project: Project;
  round: number;
  /** The number of the first item. Items are numbered `first`, `first + 1`, ... */
  first: number;
  count: number;
  /** Whether it comes from a device with a clock that is a year behind. */
  isLate: boolean;
  /** 202, or the error status of a request that is invalid on purpose. */
  expected: number;
  /** The status of each attempt. 0 if the connection broke or the client hung up. */
  statuses: number[];
  /** How often it was sent again after it was accepted, as a client does that missed the response. */
  repeats: number;
  /** An error response without a message. */
  unexplained?: string;
}

/**
 * The final outcome that the client knows. For `refused`, every response was a 503. For `unanswered`, at least one
 * attempt got no response. Requests with these two outcomes may or may not be stored.
 */
export type Outcome = 'accepted' | 'rejected' | 'refused' | 'unanswered';

export function outcomeOf({ statuses }: Request): Outcome {
  if (statuses.includes(202)) return 'accepted';
  if (statuses.some((status) => status >= 400 && status < 500)) return 'rejected';
  return statuses.every((status) => status === 503) ? 'refused' : 'unanswered';
}

/** Returns whether the items of a request must be stored. */
export function certainty(request: Request): 'yes' | 'no' | 'maybe' {
  if (request.expected !== 202) return 'no';
  const outcome = outcomeOf(request);
  if (outcome === 'accepted') return 'yes';
  return outcome === 'rejected' ? 'no' : 'maybe';
}

export function numbersOf({ first, count }: Request): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** Returns the faults in the responses themselves: an unexpected status, or an error without a message. */
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
