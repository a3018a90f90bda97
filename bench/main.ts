interface Bench {
  summary: string;
  /** The options with their defaults. */
  options: string;
  load(): Promise<{ run(args: string[]): Promise<void> }>;
}

const BENCHES: Record<string, Bench> = {
  archive: {
    summary: 'How fast the event archive consumes a full topic.',
    options: '--events 400000 --projects 1 --profile <folder>',
    load: () => import('./archive/run.ts'),
  },
  crash: {
    summary:
      'Kills processes and breaks connections at random under load, and looks for lost and duplicate data.',
    options:
      '--log kafka,postgres --brokers 1 --away-seconds 60 --rounds 20 --seconds 15 --seed <number> --objects s3 --clients 6 --consumers 2 --verbose',
    load: () => import('./crash/run.ts'),
  },
  flags: {
    summary:
      'Flag evaluations and snapshots, compared with bare Node.js, Hono and a peer; with --projects, many projects in a small heap.',
    options:
      '--seconds 6 --runs 3 --only <part of a scenario name> --workers 1 --peer <relay proxy of GO Feature Flag> --record --check --profile <folder>, or --projects 10000 --memory 512 --seconds 6',
    load: () => import('./flags/run.ts'),
  },
  'flags-live': {
    summary: 'How long a kill switch takes to reach connected clients and every instance.',
    options: '--sockets 1000 --changes 50 --runs 3',
    load: () => import('./flags-live/run.ts'),
  },
  freshness: {
    summary: 'How long an event takes from its 202 to a trends question, in standalone.',
    options: '--times 300',
    load: () => import('./freshness/run.ts'),
  },
  growth: {
    summary: 'Hot paths at 1, 10, 100 and 1,000 times the data, as a table and a picture.',
    options: '--only <names, such as keys,people> --steps 4 --picture <file.svg> --record --check',
    load: () => import('./growth/run.ts'),
  },
  hostile: {
    summary:
      'Attacks next to a normal tenant: failures and latency of the tenant, and memory of each service.',
    options: '--seconds 60 --only <part of an attack name> --profile <folder>',
    load: () => import('./hostile/run.ts'),
  },
  identify: {
    summary: 'How long an identify takes to reach evaluations, in standalone and on two instances.',
    options: '--times 200 --log standalone,postgres,kafka',
    load: () => import('./identify/run.ts'),
  },
  ingestion: {
    summary:
      'Events into Kafka, compared with bare Node.js and PostHog capture. Checks that every accepted event is stored.',
    options:
      '--seconds 8 --runs 3 --only batch,single,wide,overload,minute --partitions 4 --workers 1,auto --peer <capture> --profile <folder> --record --check',
    load: () => import('./ingestion/run.ts'),
  },
  insights: {
    summary:
      'Queries of each kind over generated files, compared with handwritten SQL for plain DuckDB and with ClickHouse.',
    options:
      '--events 10000000 --days 90 --projects 1000 --memory 500 --runs 3 --rounds 3 --clickhouse --record --check',
    load: () => import('./insights/run.ts'),
  },
  messenger: {
    summary: 'Memory of idle sockets, turns at a steady rate, and the configuration.',
    options: '--sockets 5000 --seconds 10 --only sockets|turns|configuration --volatile',
    load: () => import('./messenger/run.ts'),
  },
  reads: {
    summary:
      'Comment threads, shared reports, conversations, configuration and public lists, compared with prepared bytes.',
    options:
      '--seconds 3 --runs 3 --only threads,shared,conversation,configuration,lists --profile <folder> --record --check',
    load: () => import('./reads/run.ts'),
  },
  restore: {
    summary: 'Backs up, deletes and restores every store.',
    options: '--host 127.0.0.1 --port 5432 --user postgres',
    load: () => import('./restore/run.ts'),
  },
  scale: {
    summary: 'All services with shares of the model: memory, CPU, objects, tables, pods.',
    options:
      '--share 0.01 --seconds 30 --file-seconds 30 --keep <folder> --picture <file.svg>; several shares: --share 0.01 0.1',
    load: () => import('./scale/run.ts'),
  },
  upgrade: {
    summary: 'Replaces every instance under load, with two instances of each service.',
    options: '--rounds 2 --at-once 1 --intensity 1',
    load: () => import('./upgrade/run.ts'),
  },
};

const USAGE = `Usage: npx pnpm@12 bench <name> [options]

${Object.entries(BENCHES)
  .map(([name, { summary, options }]) => `  ${name.padEnd(12)}${summary}\n${' '.repeat(14)}${options}`)
  .join('\n')}

docs/reliability-and-benchmarks.md describes the measurements.
`;

const [name, ...args] = process.argv.slice(2);
if (name === undefined || name === '--help' || args.includes('--help')) {
  process.stdout.write(USAGE);
} else {
  const bench = BENCHES[name];
  if (bench === undefined) {
    process.stderr.write(`Unknown bench "${name}".\n\n${USAGE}`);
    process.exit(1);
  }
  const { run } = await bench.load();
  await run(args);
  process.exit();
}
