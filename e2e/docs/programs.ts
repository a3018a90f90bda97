/** Commands that run in the test, because a reader's machine has them. */
const RUN_HERE = [
  ...['.', '[', 'cd', 'echo', 'eval', 'export', 'printf', 'read', 'set', 'source', 'test', 'true', 'unset'],
  ...['base64', 'cat', 'cp', 'cut', 'date', 'grep', 'gunzip', 'gzip', 'head', 'ls', 'mkdir', 'mktemp', 'mv'],
  ...['rm', 'sed', 'seq', 'sleep', 'sort', 'tail', 'tee', 'tr', 'wc'],
  'curl',
  'node',
  'npm install',
  'npx pnpm@12 switchboard',
  'npx pnpm@12 run docs',
  'npx pnpm@12 run sbom',
  'deploy/tls/make.sh',
  'npx pnpm@12 exec node',
  'npx pnpm@12 --filter',
];

/** The command that starts Switchboard. It runs in the background before the first page. */
export const START = 'npx pnpm@12 start';

/** Prefixes of commands that are not run, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  docker: 'needs a container engine; .ci/containers has one',
  helm: 'needs a cluster; e2e/kubernetes renders the chart',
  kubectl: 'needs a cluster',
  pg_dump: 'needs databases of a deployment; e2e/restore runs it',
  pg_restore: 'needs databases of a deployment; e2e/restore runs it',
  psql: 'needs databases of a deployment; e2e/restore and operate.test.ts run it',
  'kafka-consumer-groups.sh': 'needs the Kafka of a deployment; e2e/restore runs it',
  'kafka-configs.sh': 'needs the Kafka of a deployment',
  'kafka-reassign-partitions.sh': 'needs the Kafka of a deployment',
  'kafka-topics.sh': 'needs the Kafka of a deployment; e2e/restore runs it',
  'deploy/backings/install.sh': 'installs programs; e2e/backings runs it',
  'deploy/backings/engine.sh': 'sets up a container engine; e2e/backings runs it',
  'deploy/backings/kubernetes.sh': 'starts an API server; .ci/kubernetes runs it',
  'deploy/backings/up.sh': 'starts what these tests run on',
  'deploy/backings/down.sh': 'stops what these tests run on',
  'npx pnpm@12 switchboard acls apply': 'needs the Kafka of a deployment; e2e/least-privilege runs it',
  'npx pnpm@12 switchboard topics': 'needs the Kafka of a deployment; e2e/topics runs it',
  'npx pnpm@12 exec node deploy/directory-link/src/main.ts':
    'needs the Kafka of two regions; e2e/regions runs it',
  'npx pnpm@12 start': 'starts a second Switchboard; deploy/standalone has tests that do',
  'npx pnpm@12 test': 'runs tests',
  'npx pnpm@12 test:product': 'runs this test',
  'npx pnpm@12 exec vitest': 'runs tests',
  'npx pnpm@12 bench': 'takes minutes; its parts have tests',
  'npx pnpm@12 format': 'writes to the checkout',
};

export type CommandClass = { runs: true } | { runs: false; prefix: string } | { refused: string };

/** Returns whether a command of the docs runs in the test. */
export function classifyCommand(words: readonly string[], functions: ReadonlySet<string>): CommandClass {
  const [program = '', ...rest] = words;
  if (functions.has(program)) return { runs: true };
  if (program === 'node' && rest.some((word) => word.endsWith('.ts')))
    return { refused: 'Node 20 does not run TypeScript: use a script of package.json' };
  const isCall = program === 'curl' || program === 'npm';
  if (isCall && rest.some((word) => /^https?:\/\/(?!127\.0\.0\.1|localhost)/.test(word)))
    return { runs: false, prefix: `${program} to another host` };
  const line = words.join(' ');
  const isOf = (prefix: string) => line === prefix || line.startsWith(`${prefix} `);
  const prefix = Object.keys(NOT_RUN).find(isOf);
  if (prefix !== undefined) return { runs: false, prefix };
  if (RUN_HERE.some(isOf)) return { runs: true };
  return { refused: `${program} is in neither RUN_HERE nor NOT_RUN` };
}
