import type { Terminal } from '../terminal/terminal.ts';
import type { Outcome } from './apply.ts';

const counted = (outcomes: readonly Outcome[], change: Outcome['change']) =>
  outcomes.filter((outcome) => outcome.change === change).length;

/** Formats one line per change, then the counts. */
export function describeOutcomes(outcomes: readonly Outcome[], tense: 'done' | 'would'): string {
  const would = tense === 'would' ? 'would be ' : '';
  const lines = outcomes.flatMap((outcome) => linesOf(outcome));
  const counts = (['created', 'changed', 'requested', 'unchanged'] as const)
    .filter((change) => change !== 'requested' || counted(outcomes, change) > 0)
    .map((change) => `${counted(outcomes, change)} ${change === 'unchanged' ? '' : would}${change}`)
    .join(', ');
  return [...lines, counts, ''].join('\n');
}

function linesOf({ kind, ids, change, differences, warnings }: Outcome): string[] {
  if (change === 'unchanged') return [];
  const sign = { created: '+', changed: '~', requested: '?' }[change];
  const details = differences.map(({ path, from, to }) => `    ${path}: ${short(from)} -> ${short(to)}`);
  const warned = warnings.map((warning) => `    warning: ${warning}`);
  return [`${sign} ${[kind, ...ids].join(' ')}`, ...details, ...warned];
}

const MAX_SHOWN_CHARACTERS = 60;

function short(value: unknown): string {
  if (value === undefined) return '(nothing)';
  const text = JSON.stringify(value);
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}...` : text;
}

/** Formats the outcomes as JSON. */
export function outcomesAsJson(outcomes: readonly Outcome[]): string {
  const changes = outcomes.filter(({ change }) => change !== 'unchanged');
  return `${JSON.stringify({ ...countsOf(outcomes), changes }, null, 2)}\n`;
}

/** Counts outcomes by change. */
export function countsOf(outcomes: readonly Outcome[]) {
  return {
    created: counted(outcomes, 'created'),
    changed: counted(outcomes, 'changed'),
    requested: counted(outcomes, 'requested'),
    unchanged: counted(outcomes, 'unchanged'),
  };
}

/** Shows progress on an interactive standard error; `end` clears the line. */
export function progressOn({ isInteractive, err }: Terminal) {
  let shown = false;
  return {
    show(_: Outcome, settled: number, all: number): void {
      if (!isInteractive) return;
      shown = true;
      err(`\r\u001b[K${settled} of ${all}`);
    },
    end(): void {
      if (shown) err('\r\u001b[K');
    },
  };
}
