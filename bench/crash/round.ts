import { eventually } from '@switchboard/testkit';
import { readArchive } from './archive-reader.ts';
import { answerFaults, outcomeOf, type Request } from './books.ts';
import { catchUp } from './catch-up.ts';
import { checkEvents, type EventVerdict } from './check-events.ts';
import { checkReplays, type ReplayVerdict } from './check-replays.ts';
import { checkState, type StateVerdict } from './check-state.ts';
import { type Kill, killInTurns } from './kills.ts';
import { applyLoad } from './load.ts';
import type { LogReader } from './log-reader.ts';
import { askWhereEventsAre, evaluateForPeople, readReplays } from './management.ts';
import type { Random } from './random.ts';
import { type Setting, untilReady } from './setting.ts';
import { readUserState } from './user-state.ts';

export interface Run {
  setting: Setting;
  reader: LogReader;
  random: Random;
  /** Milliseconds since 1970, what times in the traffic count from. */
  base: number;
  seconds: number;
  clients: number;
  /** Of consumers that are at work on what the load left. */
  lateKills: number;
  /** Requests of all rounds so far: each round checks also that nothing of an earlier one was hurt. */
  books: Request[];
  onKill(kill: Kill): void;
}

export interface RoundResult {
  /** Requests of this round by their outcome, and repeats of accepted ones. */
  requests: Record<ReturnType<typeof outcomeOf> | 'repeats' | 'tries', number>;
  kills: Kill[];
  /** Of all rounds so far. */
  events: EventVerdict;
  state: StateVerdict;
  replays: ReplayVerdict;
  /** Events and people of which the services were asked through their interface. */
  asked: number;
  /** Files of the event archive by now. */
  files: number;
  /** Copies on the log beyond the first, of all rounds so far. */
  duplicates: number;
  faults: string[];
}

/** Load and kills, then everything is up and has caught up, then what clients were told is compared with what is there. */
export async function playRound(run: Run, round: number): Promise<RoundResult> {
  const { setting, reader, random, base, seconds, clients, books } = run;
  const kills: Kill[] = [];
  const onKill = (kill: Kill) => {
    kills.push(kill);
    run.onKill(kill);
  };
  const seed = random.between(1, 2 ** 31);
  const [requests] = await Promise.all([
    applyLoad({
      ports: setting.ingestion.map(({ port }) => port),
      unknownKey: `pk_eu_${'0'.repeat(32)}`,
      seconds,
      clients,
      round,
      seed,
      base,
      hasReplays: true,
    }),
    killInTurns(setting.parts, seconds, random, onKill),
  ]);
  books.push(...requests);
  await untilReady([...setting.parts, setting.flags]);
  await catchUp({ log: setting.log, parts: setting.parts, kills: run.lateKills, random, onKill });

  const copies = await reader.copies();
  const archive = await patiently(() => readArchive(setting.objects));
  const events = checkEvents(books, archive.events, base, copies);
  const state = checkState(books, await patiently(() => readUserState(setting.databaseUrl('flags'))), base);
  const replays = checkReplays(books, await patiently(() => readReplays(setting, books)));
  const whereabouts = await patiently(() => askWhereEventsAre(setting, books, random));
  const evaluations = await patiently(() => evaluateForPeople(setting, requests, base, random));
  const parts = [events, state, replays, whereabouts, evaluations];
  const faults = [...answerFaults(requests), ...parts.flatMap((part) => part.faults)];
  return {
    requests: tally(requests),
    kills,
    events,
    state,
    replays,
    asked: whereabouts.asked + evaluations.asked,
    files: archive.files,
    duplicates: duplicatesOf(copies),
    faults,
  };
}

/** Everything is up by now, though a busy machine may answer too late. */
function patiently<T>(read: () => Promise<T>): Promise<T> {
  return eventually(read, { withinMs: 60_000 });
}

function tally(requests: readonly Request[]): RoundResult['requests'] {
  const counts = { accepted: 0, rejected: 0, refused: 0, unanswered: 0, repeats: 0, tries: 0 };
  for (const request of requests) {
    counts[outcomeOf(request)]++;
    counts.repeats += request.repeats;
    counts.tries += request.statuses.length;
  }
  return counts;
}

function duplicatesOf(copies: ReadonlyMap<string, number>): number {
  let duplicates = 0;
  for (const count of copies.values()) duplicates += count - 1;
  return duplicates;
}
