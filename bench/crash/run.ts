import { parseArgs } from 'node:util';
import { printTable, thousands } from '../lib/table.ts';
import type { LogKind } from './backings.ts';
import type { RoundResult } from './round.ts';
import { type RoundsOptions, runRounds } from './rounds.ts';

const MAX_FAULTS_SHOWN = 20;

/**
 * Kills processes and breaks connections at random under load, and looks for lost and duplicate data. See
 * docs/reliability-and-benchmarks.md.
 */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      log: { type: 'string', default: 'kafka,postgres' },
      brokers: { type: 'string', default: '1' },
      'away-seconds': { type: 'string', default: '60' },
      rounds: { type: 'string', default: '20' },
      seconds: { type: 'string', default: '15' },
      seed: { type: 'string', default: String(Math.floor(Math.random() * 2 ** 31)) },
      objects: { type: 'string', default: 's3' },
      clients: { type: 'string', default: '6' },
      consumers: { type: 'string', default: '2' },
      verbose: { type: 'boolean', default: false },
    },
  });
  const options = {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    seed: Number(values.seed),
    clients: Number(values.clients),
    consumers: Number(values.consumers),
    brokers: values.brokers === '3' ? (3 as const) : (1 as const),
    awaySeconds: Number(values['away-seconds']),
    objects: values.objects === 'folder' ? ('folder' as const) : ('s3' as const),
  };
  // Exiting also ends the child processes.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  console.log(`seed ${options.seed}`);
  let isFlawless = true;
  for (const log of values.log.split(',')) {
    if (log !== 'kafka' && log !== 'postgres') throw new Error(`--log ${log}: kafka, postgres, or both`);
    isFlawless = (await runOn(log, options, values.verbose)) && isFlawless;
  }
  if (!isFlawless) process.exit(1);
}

type Options = Omit<RoundsOptions, 'log' | 'onDisrupted' | 'onRound'>;

async function runOn(log: LogKind, options: Options, isVerbose: boolean): Promise<boolean> {
  const rounds: RoundResult[] = [];
  const { logsFolder } = await runRounds({
    ...options,
    log,
    onDisrupted({ at, name, effect, forMs }) {
      if (isVerbose)
        console.log(`  ${at === undefined ? 'catching up' : `${at} ms`}: ${name} ${effect} for ${forMs} ms`);
    },
    onRound(result, round) {
      rounds.push(result);
      console.log(`${log}, round ${round}: ${summary(result)}`);
      for (const fault of result.faults.slice(0, MAX_FAULTS_SHOWN)) console.log(`  ${fault}`);
    },
  });
  printCounts(log, rounds);
  const faults = rounds.reduce((sum, { faults }) => sum + faults.length, 0);
  if (faults > 0) console.log(`FAILED: ${faults} faults. The output of the processes is in ${logsFolder}.`);
  return faults === 0;
}

function summary({ requests, disrupted, faults }: RoundResult): string {
  const { accepted, rejected, refused, unanswered, tries } = requests;
  return [
    `${disrupted.length} disruptions`,
    `${tries} tries of ${accepted + rejected + refused + unanswered} requests`,
    `${accepted} accepted, ${rejected} rejected, ${refused} refused, ${unanswered} unanswered`,
    `${faults.length} faults`,
  ].join('; ');
}

/** Prints the totals of all rounds. The last round checks the events and state of all rounds. */
function printCounts(log: LogKind, rounds: readonly RoundResult[]): void {
  const last = rounds.at(-1);
  if (last === undefined) return;
  const sum = (of: (result: RoundResult) => number) =>
    rounds.reduce((total, result) => total + of(result), 0);
  const { events, state, replays } = last;
  const disrupted = Map.groupBy(
    rounds.flatMap((round) => round.disrupted),
    ({ kind, effect }) => `${kind} ${effect}`,
  );
  const rows: [string, number][] = [
    ['rounds', rounds.length],
    ['requests accepted (202)', sum(({ requests }) => requests.accepted)],
    ['requests rejected (4xx), intended', sum(({ requests }) => requests.rejected)],
    ['requests refused (503) on every try', sum(({ requests }) => requests.refused)],
    ['requests without a response', sum(({ requests }) => requests.unanswered)],
    ['tries of all requests', sum(({ requests }) => requests.tries)],
    ['accepted requests sent again', sum(({ requests }) => requests.repeats)],
    ['events accepted', events.accepted],
    ['events in the archive', events.found],
    ['files of the archive', last.files],
    ['events of unknown outcome', events.unknown],
    ['events of unknown outcome in the archive', events.unknownFound],
    ['events of rejected requests', events.rejected],
    ['duplicates on the log that the archive dropped', last.duplicates],
    ['identify and group calls accepted', state.accepted],
    ['calls of unknown outcome', state.unknown],
    ['replay chunks accepted', replays.accepted],
    ['chunks of unknown outcome', replays.unknown],
    ['chunks of unknown outcome in a recording', replays.unknownFound],
    ['events sent to webhooks', last.webhooks.sent],
    ['messages sent again', last.webhooks.repeats],
    ['properties of people and groups compared', state.compared],
    ['anonymous ids and their persons compared', last.joins.compared],
    ['events and people checked through the interface', sum(({ checked }) => checked)],
    ...[...disrupted].map(([what, some]): [string, number] => [what, some.length]),
    ['lost, duplicate, or otherwise wrong', sum(({ faults }) => faults.length)],
  ];
  printTable(
    [log, 'count'],
    rows.map(([name, count]) => [name, thousands(count)]),
  );
}
