import { certainty, type Request } from '../ledger.ts';
import { seq, session } from '../traffic.ts';

/** A recorded session as the management API returns it. */
export interface FoundReplay {
  project: string;
  session: string;
  /** The number of chunks in the manifest. */
  chunks: number;
  conflicts: number;
  missing: number;
  /** For each event of the recording, in order, the number of its chunk. */
  numbers: number[];
}

export interface ReplayVerdict {
  accepted: number;
  unknown: number;
  unknownFound: number;
  faults: string[];
}

/** A recording has two consecutive events per chunk, and its chunks are in seq order. */
const EVENTS_PER_CHUNK = 2;

/** Compares accepted chunks with recordings: each chunk must be there once, in order, and counted. */
export function checkReplays(requests: readonly Request[], found: readonly FoundReplay[]): ReplayVerdict {
  const verdict: ReplayVerdict = { accepted: 0, unknown: 0, unknownFound: 0, faults: [] };
  const replays = new Map(found.map((one) => [`${one.project} ${one.session}`, one]));
  for (const [name, own] of sessionsOf(requests)) {
    const replay = replays.get(name);
    replays.delete(name);
    const numbers = replay?.numbers ?? [];
    for (const request of own) {
      const times = numbers.filter((number) => number === request.first).length;
      const sure = certainty(request);
      const isRight = times === EVENTS_PER_CHUNK || (times === 0 && sure !== 'yes');
      if (sure === 'yes') verdict.accepted++;
      if (sure === 'maybe') verdict.unknown++;
      if (sure === 'maybe' && times > 0) verdict.unknownFound++;
      if (!isRight) {
        const answered = `answered ${request.statuses.join(', ')}`;
        verdict.faults.push(
          `${name} seq ${seqOf(request)}: ${times} of ${EVENTS_PER_CHUNK} events, ${answered}`,
        );
      }
    }
    if (replay !== undefined) verdict.faults.push(...manifestFaults(name, replay));
  }
  for (const name of replays.keys()) verdict.faults.push(`${name}: a recording that was never sent`);
  return verdict;
}

/** Returns the chunks of each session, by `<project> <session>`. */
export function sessionsOf(requests: readonly Request[]): Map<string, Request[]> {
  const replays = requests.filter(({ kind }) => kind === 'replay');
  return Map.groupBy(replays, (one) => `${one.project} ${session({ ...one, number: one.first })}`);
}

const seqOf = (request: Request) => seq({ ...request, number: request.first });

function manifestFaults(name: string, { numbers, chunks, conflicts, missing }: FoundReplay): string[] {
  const distinct = new Set(numbers);
  const faults: string[] = [];
  if (numbers.some((number, index) => number < (numbers[index - 1] ?? 0))) faults.push('not in order');
  if (chunks !== distinct.size)
    faults.push(`the manifest counts ${chunks} chunks, the recording has ${distinct.size}`);
  if (conflicts !== 0) faults.push(`${conflicts} conflicts`);
  // Within a session, consecutive seqs have numbers that differ by the number of sessions.
  const highest = Math.max(...[...distinct].map((number) => seq({ project: 'crash-a', round: 0, number })));
  if (missing !== highest + 1 - distinct.size) faults.push(`the manifest misses ${missing}`);
  return faults.map((fault) => `${name}: ${fault}`);
}
