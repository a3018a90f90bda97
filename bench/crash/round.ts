import { eventually } from '@switchboard/testkit';
import { catchUp } from './catch-up.ts';
import { readArchive } from './checks/archive-reader.ts';
import { checkEvents, type EventVerdict } from './checks/events.ts';
import { checkEvaluations, checkEventLookup, readReplays } from './checks/interface-checks.ts';
import { checkJoins, type JoinsVerdict } from './checks/joins.ts';
import type { LogReader } from './checks/log-reader.ts';
import { checkReplays, type ReplayVerdict } from './checks/replays.ts';
import { checkState, type StateVerdict } from './checks/state.ts';
import { readUserState } from './checks/state-reader.ts';
import { checkWebhooks, type WebhooksVerdict } from './checks/webhooks.ts';
import { type Deployment, untilReady } from './deployment.ts';
import type { Disrupted, Disrupter } from './disrupt.ts';
import { answerFaults, outcomeOf, type Request } from './ledger.ts';
import { applyLoad } from './load.ts';
import type { Random } from './random.ts';
import { untilSent } from './webhook.ts';

export interface Run {
  deployment: Deployment;
  disrupter: Disrupter;
  reader: LogReader;
  random: Random;
  /** The time that the traffic's times are relative to, in milliseconds since 1970. */
  base: number;
  seconds: number;
  clients: number;
  /** The number of kills of consumers that are catching up. */
  lateKills: number;
  /** The requests of all rounds so far. Each round also checks those of earlier rounds. */
  ledger: Request[];
  onDisrupted(disrupted: Disrupted): void;
}

export interface RoundResult {
  /** The requests of this round by outcome, and the repeats of accepted ones. */
  requests: Record<ReturnType<typeof outcomeOf> | 'repeats' | 'tries', number>;
  disrupted: Disrupted[];
  /** The verdict on the events of all rounds so far. */
  events: EventVerdict;
  state: StateVerdict;
  joins: JoinsVerdict;
  replays: ReplayVerdict;
  webhooks: WebhooksVerdict;
  /** The number of events and people checked through the API. */
  checked: number;
  /** The number of files in the event archive so far. */
  files: number;
  /** The number of copies on the log beyond the first, in all rounds so far. */
  duplicates: number;
  faults: string[];
}

/** Applies load and disruptions, waits until everything has caught up, and compares responses with stored data. */
export async function runRound(run: Run, round: number): Promise<RoundResult> {
  const { deployment, reader, random, base, seconds, clients, ledger } = run;
  const disrupted: Disrupted[] = [];
  const onDisrupted = (one: Disrupted) => {
    disrupted.push(one);
    run.onDisrupted(one);
  };
  const seed = random.between(1, 2 ** 31);
  const load = {
    ports: deployment.ingestion.map(({ port }) => port),
    unknownKey: `pk_eu_${'0'.repeat(32)}`,
    clients,
    round,
    seed,
    base,
    hasReplays: true,
  };
  const requests = await applyLoad(load, run.disrupter(seconds, random, onDisrupted));
  ledger.push(...requests);
  await untilReady([...deployment.targets, deployment.flags, deployment.archive]);
  await catchUp({
    log: deployment.log,
    targets: deployment.targets,
    kills: run.lateKills,
    random,
    onDisrupted,
  });

  const copies = await reader.copies();
  const archive = await patiently(() => readArchive(deployment.objects, deployment.databaseUrl('archive')));
  const events = checkEvents(ledger, archive.events, base, copies);
  const stored = await patiently(() => readUserState(deployment.databaseUrl('flags')));
  const state = checkState(ledger, stored, base);
  const joins = checkJoins(ledger, stored.persons, base);
  const replays = checkReplays(ledger, await patiently(() => readReplays(deployment, ledger)));
  const discarded = await untilSent({ port: deployment.webhooks.port, token: deployment.managementToken });
  const webhooks = checkWebhooks(ledger, deployment.receiver.delivered, discarded);
  const lookups = await patiently(() => checkEventLookup(deployment, ledger, random));
  const evaluations = await patiently(() => checkEvaluations(deployment, requests, base, random));
  const checks = [events, state, joins, replays, webhooks, lookups, evaluations];
  const faults = [...answerFaults(requests), ...checks.flatMap((check) => check.faults)];
  return {
    requests: tally(requests),
    disrupted,
    events,
    state,
    joins,
    replays,
    webhooks,
    checked: lookups.checked + evaluations.checked,
    files: archive.files,
    duplicates: duplicatesOf(copies),
    faults,
  };
}

/** Retries a read. Everything is up at this point, but a busy machine may cause timeouts. */
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
