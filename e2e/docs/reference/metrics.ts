import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CallExpression,
  type Expression,
  type NewExpression,
  type ObjectPropertyKind,
  parseSync,
  Visitor,
} from 'oxc-parser';
import { REPOSITORY } from '../../harness/repository.ts';
import { isForTests } from '../../structure/paths.ts';

interface Metric {
  name: string;
  type: 'counter' | 'gauge' | 'histogram';
  labels: string[];
  help: string;
}

/** Returns the text of docs/reference/metrics.md. */
export function metricsPage(): string {
  const { shared = [], ...own } = metricsByProgram();
  return `${[
    '# Metrics',
    '<!-- Generated from the source by `pnpm run docs`; a test fails when it is stale. -->',
    'Every Prometheus metric of Switchboard, in addition to those of [Node.js](https://github.com/prom-client/prom-client#default-metrics). All have the label `service`. A service has the shared metrics of what it uses.',
    '## Shared',
    table(shared),
    ...Object.entries(own).flatMap(([program, metrics]) => [
      `## ${program.charAt(0).toUpperCase()}${program.slice(1).replaceAll('-', ' ')}`,
      table(metrics),
    ]),
  ].join('\n\n')}\n`;
}

function table(metrics: readonly Metric[]): string {
  const sorted = metrics.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  return ['| metric | type | labels | value |', '|---|---|---|---|', ...sorted.map(row)].join('\n');
}

const row = ({ name, type, labels, help }: Metric) =>
  `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help} |`;

/** Returns the metrics of each program, and those of packages as `shared`. */
function metricsByProgram(): Record<string, Metric[]> {
  const programs: Record<string, Metric[]> = {};
  for (const path of sourceFiles()) {
    const found = metricsIn(path, readFileSync(join(REPOSITORY, path), 'utf8'));
    if (found.length === 0) continue;
    const [top, name = ''] = path.split('/');
    const program = top === 'packages' ? 'shared' : name;
    programs[program] = [...(programs[program] ?? []), ...found];
  }
  return programs;
}

function sourceFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard'];
  const folders = ['packages/*.ts', 'services/*.ts', 'deploy/directory-link/*.ts'];
  const listed = execFileSync('git', [...args, ...folders], { cwd: REPOSITORY, encoding: 'utf8' });
  const paths = listed.split('\n').filter((path) => path !== '' && !isForTests(path));
  return paths.filter((path) => existsSync(join(REPOSITORY, path))).sort();
}

/** Returns the metrics that a source file creates, in order. */
function metricsIn(path: string, text: string): Metric[] {
  if (!text.includes("'switchboard_")) return [];
  const found: Metric[] = [];
  const add = (node: CallExpression | NewExpression) => found.push(...metricOf(node));
  new Visitor({ CallExpression: add, NewExpression: add }).visit(parseSync(path, text).program);
  return found;
}

/** Reads `gauge('switchboard_x', 'Help.', ['label'])` and `new Gauge({ name, help, labelNames })`. */
function metricOf({ callee, arguments: given }: CallExpression | NewExpression): Metric[] {
  const type = typeOf(callee);
  if (type === undefined) return [];
  const [first] = given;
  const [name, help, labels] =
    first?.type === 'ObjectExpression'
      ? ['name', 'help', 'labelNames'].map((key) => propertyOf(first.properties, key))
      : given;
  const named = textOf(name);
  if (!named?.startsWith('switchboard_')) return [];
  const elements = labels?.type === 'ArrayExpression' ? labels.elements : [];
  return [
    { name: named, type, labels: elements.flatMap((one) => textOf(one) ?? []), help: textOf(help) ?? '' },
  ];
}

/** Returns the type of the metric that a function such as `counterBy` or `durations` creates. */
function typeOf(callee: Expression): Metric['type'] | undefined {
  const named = callee.type === 'MemberExpression' ? callee.property : callee;
  const name = 'name' in named && typeof named.name === 'string' ? named.name.toLowerCase() : '';
  if (name.startsWith('counter')) return 'counter';
  if (name.startsWith('gauge')) return 'gauge';
  return name.startsWith('durations') ? 'histogram' : undefined;
}

function propertyOf(properties: readonly ObjectPropertyKind[], key: string): Expression | undefined {
  for (const one of properties)
    if (one.type === 'Property' && 'name' in one.key && one.key.name === key) return one.value;
  return undefined;
}

/** Returns the text of a string literal. */
const textOf = (node: object | null | undefined): string | undefined =>
  node && 'value' in node && typeof node.value === 'string' ? node.value : undefined;
