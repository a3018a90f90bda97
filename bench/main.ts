interface Bench {
  summary: string;
  /** Its own options, and common ones with another default. */
  options: string;
  load(): Promise<{ run(args: string[]): Promise<void> }>;
}

const BENCHES: Record<string, Bench> = {
  ingestion: {
    summary:
      'Events into Kafka, compared with bare Node.js and PostHog capture, and the archive of a full topic.',
    options:
      '--seconds 8 --partitions 4 --workers 1,auto --peer <capture> --events 1600000 --projects 1 (of the archive)',
    load: () => import('./ingestion/run.ts'),
  },
  flags: {
    summary:
      'Evaluations, snapshots and public lists, compared with bare Node.js, Hono and a peer; many projects in a small heap.',
    options: '--workers 1 --peer <relay proxy of GO Feature Flag> --projects 10000 --memory 512',
    load: () => import('./flags/run.ts'),
  },
  insights: {
    summary:
      'Queries of each kind over generated files, compared with handwritten SQL for plain DuckDB and with ClickHouse.',
    options: '--events 10000000 --days 90 --projects 1000 --memory 500 --rounds 3 --joined 30 --clickhouse',
    load: () => import('./insights/run.ts'),
  },
  messenger: {
    summary:
      'Memory of idle sockets, turns at a steady rate and as agents see them, an inbox of a million conversations, and reads of conversations, comments and shared reports.',
    options: '--sockets 5000 --conversations 1000000 --volatile',
    load: () => import('./messenger/run.ts'),
  },
  latency: {
    summary:
      'How long a flag change takes to reach clients, an identify to reach evaluations, an event to reach insights.',
    options: '--times 200 --sockets 1000',
    load: () => import('./latency/run.ts'),
  },
  scale: {
    summary: 'All services with shares of the model, and hot paths with up to 1,000 times the data.',
    options: '--seconds 30 --share 0.01,0.1 --steps 4 --keep <folder> --pictures <folder>',
    load: () => import('./scale/run.ts'),
  },
  hostile: {
    summary:
      'Attacks next to a normal tenant: failures and latency of the tenant, and memory of each service.',
    options: '--seconds 60',
    load: () => import('./hostile/run.ts'),
  },
  crash: {
    summary:
      'Kills processes and breaks connections at random under load, and looks for lost and duplicate data.',
    options:
      '--seconds 15 --log kafka,postgres --brokers 1 --away-seconds 60 --rounds 20 --seed <number> --objects s3 --clients 6 --consumers 2 --verbose',
    load: () => import('./crash/run.ts'),
  },
};

const USAGE = `Usage: npx pnpm@12 bench <name> [options]

${Object.entries(BENCHES)
  .map(([name, { summary, options }]) => `  ${name.padEnd(12)}${summary}\n${' '.repeat(14)}${options}`)
  .join('\n')}

Most have --only <parts of scenario names>, --seconds, --runs 3, --profile <folder>, --record and --check.
docs/reliability-and-benchmarks.md has the results.
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
