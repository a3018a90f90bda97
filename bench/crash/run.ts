import { parseArgs } from 'node:util';
import { printTable, thousands } from '../lib/table.ts';
import type { LogKind } from './backings.ts';
import { type ProofOptions, prove } from './proof.ts';
import type { RoundResult } from './round.ts';

const MOST_FAULTS_SHOWN = 20;

/** Kills everything at random under load and looks for what was lost or doubled: see docs/reliability.md. */
export async function run(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      log: { type: 'string', default: 'kafka,postgres' },
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
    objects: values.objects === 'folder' ? ('folder' as const) : ('s3' as const),
  };
  // So that what was started ends too.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
  console.log(`seed ${options.seed}`);
  let isWhole = true;
  for (const log of values.log.split(',')) {
    if (log !== 'kafka' && log !== 'postgres') throw new Error(`--log ${log}: kafka, postgres, or both`);
    isWhole = (await proveOn(log, options, values.verbose)) && isWhole;
  }
  if (!isWhole) process.exit(1);
}

type Options = Omit<ProofOptions, 'log' | 'onKill' | 'onRound'>;

async function proveOn(log: LogKind, options: Options, isVerbose: boolean): Promise<boolean> {
  const rounds: RoundResult[] = [];
  const { logsFolder } = await prove({
    ...options,
    log,
    onKill({ at, name, awayMs }) {
      if (isVerbose)
        console.log(
          `  ${at === undefined ? 'catching up' : `${at} ms`}: ${name} killed, away for ${awayMs} ms`,
        );
    },
    onRound(result, round) {
      rounds.push(result);
      console.log(`${log}, round ${round}: ${summary(result)}`);
      for (const fault of result.faults.slice(0, MOST_FAULTS_SHOWN)) console.log(`  ${fault}`);
    },
  });
  printCounts(log, rounds);
  const faults = rounds.reduce((sum, { faults }) => sum + faults.length, 0);
  if (faults > 0) console.log(`FAILED: ${faults} faults; what the processes wrote is in ${logsFolder}`);
  return faults === 0;
}

function summary({ requests, kills, faults }: RoundResult): string {
  const { accepted, rejected, refused, unanswered, tries } = requests;
  return [
    `${kills.length} kills`,
    `${tries} tries of ${accepted + rejected + refused + unanswered} requests`,
    `${accepted} accepted, ${rejected} rejected, ${refused} refused, ${unanswered} unanswered`,
    `${faults.length} faults`,
  ].join('; ');
}

/** Totals of all rounds; those of events and state are of the last round, which looks at everything there is. */
function printCounts(log: LogKind, rounds: readonly RoundResult[]): void {
  const last = rounds.at(-1);
  if (last === undefined) return;
  const sum = (of: (result: RoundResult) => number) =>
    rounds.reduce((total, result) => total + of(result), 0);
  const { events, state, replays } = last;
  const kills = Map.groupBy(
    rounds.flatMap((round) => round.kills),
    ({ kind }) => kind,
  );
  const rows: [string, number][] = [
    ['rounds', rounds.length],
    ['requests accepted (202)', sum(({ requests }) => requests.accepted)],
    ['requests rejected (4xx), on purpose', sum(({ requests }) => requests.rejected)],
    ['requests refused (503) to the end', sum(({ requests }) => requests.refused)],
    ['requests without an answer to the end', sum(({ requests }) => requests.unanswered)],
    ['tries of all requests', sum(({ requests }) => requests.tries)],
    ['accepted requests sent again', sum(({ requests }) => requests.repeats)],
    ['events accepted', events.accepted],
    ['events in the archive', events.found],
    ['files of the archive', last.files],
    ['events of unknown outcome', events.unknown],
    ['of them in the archive', events.unknownFound],
    ['events of rejected requests', events.rejected],
    ['copies on the log that the archive dropped', last.duplicates],
    ['identify and group calls accepted', state.accepted],
    ['calls of unknown outcome', state.unknown],
    ['replay chunks accepted', replays.accepted],
    ['chunks of unknown outcome', replays.unknown],
    ['of them in a recording', replays.unknownFound],
    ['properties of people and groups compared', state.compared],
    ['events and people asked for through the interface', sum(({ asked }) => asked)],
    ...[...kills].map(([kind, some]): [string, number] => [`kills: ${kind}`, some.length]),
    ['lost, doubled, or otherwise wrong', sum(({ faults }) => faults.length)],
  ];
  printTable(
    [log, 'count'],
    rows.map(([name, count]) => [name, thousands(count)]),
  );
}
