import { withDeadline } from '@switchboard/resilience';
import { EventLogUnavailable } from './errors.ts';

/** Settles like `work`, or throws EventLogUnavailable at `deadline`, a time of `performance.now()`. */
export function within<T>(deadline: number, what: string, work: Promise<T>): Promise<T> {
  return withDeadline(
    deadline - performance.now(),
    work,
    () => new EventLogUnavailable(`the event log did not answer in time (${what})`),
  );
}
