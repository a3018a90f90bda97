import { isDeepStrictEqual } from 'node:util';
import { certainty, numbersOf, type Request } from '../ledger.ts';
import { eventId, eventOf, type Numbered } from '../traffic.ts';

/** An event found in the archive or on the log. */
export interface FoundEvent {
  project: string;
  event_id: string;
  distinct_id: string;
  event_name: string;
  timestamp: string;
  session_id: string | null;
  schema_version: number;
  properties: unknown;
  context: unknown;
  /** The location of the event, for debugging a fault. */
  place: string;
}

export interface EventVerdict {
  /** The number of events that got a 202. */
  accepted: number;
  /** The number of events in invalid requests. */
  rejected: number;
  /** The number of events with an unknown outcome, and how many of those were found. */
  unknown: number;
  unknownFound: number;
  found: number;
  faults: string[];
}

/**
 * Compares responses with the archive. Accepted events must be in it exactly once and unchanged, rejected events must
 * not be in it, and unknown events at most once. No other events may be in it. `copies` is the number of copies of
 * each event on the log, to explain a lost event.
 */
export function checkEvents(
  requests: readonly Request[],
  found: Iterable<FoundEvent>,
  base: number,
  copies: ReadonlyMap<string, number> = new Map(),
): EventVerdict {
  const byName = new Map<string, FoundEvent[]>();
  let rows = 0;
  for (const event of found) {
    rows++;
    const name = `${event.project} ${event.event_id}`;
    const others = byName.get(name);
    if (others === undefined) byName.set(name, [event]);
    else others.push(event);
  }
  const verdict: EventVerdict = {
    accepted: 0,
    rejected: 0,
    unknown: 0,
    unknownFound: 0,
    found: rows,
    faults: [],
  };
  for (const request of requests) {
    if (request.kind !== 'events') continue;
    const sure = certainty(request);
    for (const number of numbersOf(request)) {
      const numbered = { project: request.project, round: request.round, number };
      const name = `${request.project} ${eventId(numbered)}`;
      const there = byName.get(name) ?? [];
      byName.delete(name);
      const fault = faultOf(sure, there, numbered, request, base);
      if (fault !== undefined) verdict.faults.push(`${name}: ${fault}; ${copies.get(name) ?? 0} on the log`);
      if (sure === 'yes') verdict.accepted++;
      if (sure === 'no') verdict.rejected++;
      if (sure === 'maybe') verdict.unknown++;
      if (sure === 'maybe' && there.length > 0) verdict.unknownFound++;
    }
  }
  for (const [name, copies] of byName) verdict.faults.push(`${name}: never sent, found${placesOf(copies)}`);
  return verdict;
}

function faultOf(
  sure: 'yes' | 'no' | 'maybe',
  copies: readonly FoundEvent[],
  numbered: Numbered,
  { isLate, statuses }: Request,
  base: number,
): string | undefined {
  const answered = `answered ${statuses.join(', ')}`;
  if (copies.length > 1) return `duplicate, ${answered}, found${placesOf(copies)}`;
  const [copy] = copies;
  if (copy === undefined) return sure === 'yes' ? `lost, ${answered}` : undefined;
  if (sure === 'no') return `found although it was rejected, ${answered}, found${placesOf(copies)}`;
  const { place, project: _, ...stored } = copy;
  return isDeepStrictEqual(stored, eventOf(numbered, base, isLate))
    ? undefined
    : `differs from the sent event, in ${place}`;
}

function placesOf(copies: readonly FoundEvent[]): string {
  return copies.map(({ place }) => ` in ${place}`).join(',');
}
