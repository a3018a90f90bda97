import type { Project } from './traffic.ts';

/** One request of a client, with every try of it. */
export interface Request {
  kind: 'events' | 'identify' | 'group' | 'replay';
  project: Project;
  round: number;
  /** The things it carries are numbered first, first + 1, ... */
  first: number;
  count: number;
  /** Of a device whose clock is a year behind. */
  isLate: boolean;
  /** 202, or the status with which a request that is wrong on purpose must be refused. */
  expected: number;
  /** What each try was answered; 0: the connection broke, or the client hung up. */
  statuses: number[];
  /** How often it was sent although it had been accepted, as by a client that missed the answer. */
  repeats: number;
  /** An answer that was no 202 and did not say why. */
  untold?: string;
}

/**
 * What the client knows in the end: `accepted` and `rejected` were answered so; of `refused` every answer was a 503;
 * of `unanswered` at least one try had none. The last two may be stored or not.
 */
export type Outcome = 'accepted' | 'rejected' | 'refused' | 'unanswered';

export function outcomeOf({ statuses }: Request): Outcome {
  if (statuses.includes(202)) return 'accepted';
  if (statuses.some((status) => status >= 400 && status < 500)) return 'rejected';
  return statuses.every((status) => status === 503) ? 'refused' : 'unanswered';
}

/** How sure it is that what a request carried is there. */
export function certainty(request: Request): 'yes' | 'no' | 'maybe' {
  if (request.expected !== 202) return 'no';
  const outcome = outcomeOf(request);
  if (outcome === 'accepted') return 'yes';
  return outcome === 'rejected' ? 'no' : 'maybe';
}

export function numbersOf({ first, count }: Request): number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}

/** What is wrong with the answers alone: a request misjudged, a status nobody promised, a refusal without a reason. */
export function answerFaults(requests: readonly Request[]): string[] {
  return requests.flatMap((request) => {
    const wrong = request.statuses.filter((status) => ![0, 503, request.expected].includes(status));
    const name = `${request.kind} ${request.project} r${request.round} ${request.first}`;
    return [
      ...(wrong.length > 0 ? [`${name}: answered ${wrong.join(', ')}, expected ${request.expected}`] : []),
      ...(request.untold === undefined ? [] : [`${name}: refused without a reason: ${request.untold}`]),
    ];
  });
}
