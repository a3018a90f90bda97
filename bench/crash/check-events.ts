import { isDeepStrictEqual } from 'node:util';
import { certainty, numbersOf, type Request } from './books.ts';
import { eventId, eventOf, type Numbered } from './traffic.ts';

/** An event as it was found in the archive or on the log. */
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
  /** Where it was found, for whoever looks into a fault. */
  place: string;
}

export interface EventVerdict {
  /** Events answered 202. */
  accepted: number;
  /** Events of requests that were refused for being wrong. */
  rejected: number;
  /** Events of which the client does not know, and how many of them are there. */
  unknown: number;
  unknownFound: number;
  found: number;
  faults: string[];
}

/**
 * Compares what clients were told with what is there: accepted once and as it was sent, refused nowhere, unknown at
 * most once, and nothing that nobody sent. `copies`: how often each stands on the log, to say so of one that is lost.
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
      if (fault !== undefined)
        verdict.faults.push(`${name}: ${fault}; on the log ${copies.get(name) ?? 0} times`);
      if (sure === 'yes') verdict.accepted++;
      if (sure === 'no') verdict.rejected++;
      if (sure === 'maybe') verdict.unknown++;
      if (sure === 'maybe' && there.length > 0) verdict.unknownFound++;
    }
  }
  for (const [name, copies] of byName)
    verdict.faults.push(`${name}: sent by nobody, found${placesOf(copies)}`);
  return verdict;
}

function faultOf(
  sure: 'yes' | 'no' | 'maybe',
  copies: readonly FoundEvent[],
  numbered: Numbered,
  { isLate, statuses }: Request,
  base: number,
): string | undefined {
  const told = `answered ${statuses.join(', ')}`;
  if (copies.length > 1) return `doubled, ${told}, found${placesOf(copies)}`;
  const [copy] = copies;
  if (copy === undefined) return sure === 'yes' ? `lost, ${told}` : undefined;
  if (sure === 'no') return `found although it was refused, ${told}, found${placesOf(copies)}`;
  const { place, project: _, ...stored } = copy;
  return isDeepStrictEqual(stored, eventOf(numbered, base, isLate))
    ? undefined
    : `not as it was sent, in ${place}`;
}

function placesOf(copies: readonly FoundEvent[]): string {
  return copies.map(({ place }) => ` in ${place}`).join(',');
}
