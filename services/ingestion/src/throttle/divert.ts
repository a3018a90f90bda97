import type { ProjectAccess, Throttle } from '@switchboard/http';

/**
 * Answers calls of projects with events that an operator drops as if they were accepted. A client would repeat
 * rejected calls.
 */
export function divertDropped(throttle: Throttle, answer: () => Response) {
  return (project: ProjectAccess): Response | undefined => (throttle.drops(project) ? answer() : undefined);
}

export const noneAccepted = (): Response => Response.json({ accepted: 0 }, { status: 202 });
