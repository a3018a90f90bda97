import { type Contents, type Coverage, collectContents } from '../rows/contents.ts';
import { createFileEncoder, type FileEncoder, ROW_GROUP_ROWS } from '../rows/encode.ts';
import type { OpenFile } from '../rows/read.ts';
import { compareRows, type Row } from '../rows/row.ts';
import { coverageOf } from './plan.ts';

/** A file that results from a merge. */
export interface Merged {
  coverage: Coverage;
  contents: Contents;
  bytes: Uint8Array;
}

/** The rows to erase: those of these people, or of the whole project. */
export interface Erased {
  projectId: string;
  distinctIds: ReadonlySet<string> | 'all';
}

/** How files are merged. */
export interface MergeRule {
  /** Writes all rows to one file with this coverage, or each row to the file of its bucket or project. */
  to: Coverage | { split: number };
  /** Rows to omit. */
  erased?: Erased;
}

interface MergeOptions {
  /** Returns the file that a row goes to. */
  coverage(projectId: string): Coverage;
  /** Whether to omit a row. */
  isErased(event: Row): boolean;
}

/** A project with at least this number of rows in the split files gets its own file. */
const LARGE_ROWS = 100_000;

/** Rows held for all files until their groups are encoded. */
const MAX_HELD_ROWS = 4 * ROW_GROUP_ROWS;

interface Output {
  coverage: Coverage;
  contents: ReturnType<typeof collectContents>;
  encoder: FileEncoder;
  rows: Row[];
}

interface Input {
  rows: Row[];
  next: number;
  groups: AsyncGenerator<Row[]>;
}

/** Merges open files. */
export async function mergeByRule(files: readonly OpenFile[], { to, erased }: MergeRule): Promise<Merged[]> {
  const large = 'split' in to ? await largeProjects(files) : new Set<string>();
  return mergeFiles(files, {
    coverage: (projectId) =>
      'split' in to ? coverageOf(projectId, { buckets: to.split, isLarge: large.has(projectId) }) : to,
    isErased: (event) => erased !== undefined && isErased(erased, event),
  });
}

async function largeProjects(files: readonly OpenFile[]): Promise<Set<string>> {
  const rows = new Map<string, number>();
  for (const file of files) {
    for await (const group of file.projects()) {
      for (const project of group) rows.set(project, (rows.get(project) ?? 0) + 1);
    }
  }
  return new Set([...rows].filter(([, count]) => count >= LARGE_ROWS).map(([project]) => project));
}

function isErased({ projectId, distinctIds }: Erased, event: Row): boolean {
  return event.projectId === projectId && (distinctIds === 'all' || distinctIds.has(event.distinctId));
}

/**
 * Merges sorted files into sorted files. Holds one group of rows of each input file, and the bytes of the output
 * files.
 */
async function mergeFiles(
  files: readonly OpenFile[],
  { coverage: of, isErased }: MergeOptions,
): Promise<Merged[]> {
  const outputs = new Map<string, Output>();
  let held = 0;
  let known: { projectId: string; output: Output } | undefined;

  function outputOf(projectId: string): Output {
    if (known?.projectId === projectId) return known.output;
    const coverage = of(projectId);
    const name = JSON.stringify(coverage);
    const output = outputs.get(name) ?? {
      coverage,
      contents: collectContents(),
      encoder: createFileEncoder(),
      rows: [],
    };
    outputs.set(name, output);
    known = { projectId, output };
    return output;
  }

  function flush(output: Output): void {
    held -= output.rows.length;
    output.encoder.add(output.rows.splice(0));
  }

  for await (const row of inOrder(files)) {
    if (isErased(row)) continue;
    const output = outputOf(row.projectId);
    output.contents.add(row);
    output.rows.push(row);
    held += 1;
    if (output.rows.length === ROW_GROUP_ROWS) flush(output);
    else if (held >= MAX_HELD_ROWS) flush(longest(outputs.values()));
  }
  const merged: Merged[] = [];
  for (const output of outputs.values()) {
    if (output.rows.length > 0) flush(output);
    merged.push({
      coverage: output.coverage,
      contents: output.contents.get(),
      bytes: output.encoder.finish(),
    });
  }
  return merged;
}

function longest(outputs: Iterable<Output>): Output {
  return [...outputs].reduce((one, other) => (other.rows.length > one.rows.length ? other : one));
}

/** Yields the rows of all files in one order. */
async function* inOrder(files: readonly OpenFile[]): AsyncGenerator<Row> {
  const heap: Input[] = [];
  for (const file of files) {
    const input: Input = { rows: [], next: 0, groups: file.groups() };
    if (await refill(input)) heap.push(input);
  }
  heap.sort(compareInputs);
  for (let [first] = heap; first !== undefined; [first] = heap) {
    const row = first.rows[first.next];
    if (row !== undefined) yield row;
    first.next += 1;
    if (first.next === first.rows.length && !(await refill(first))) {
      const last = heap.pop();
      if (last !== undefined && last !== first) heap[0] = last;
    }
    sink(heap);
  }
}

async function refill(input: Input): Promise<boolean> {
  do {
    const group = await input.groups.next();
    if (group.done === true) return false;
    input.rows = group.value;
    input.next = 0;
  } while (input.rows.length === 0);
  return true;
}

function compareInputs(one: Input, other: Input): number {
  const [row, next] = [one.rows[one.next], other.rows[other.next]];
  if (row === undefined || next === undefined) return 0;
  return compareRows(row, next);
}

/** Moves the first element of a binary heap down to its place. */
function sink(heap: Input[]): void {
  for (let at = 0; ; ) {
    const [input, left, right] = [heap[at], heap[2 * at + 1], heap[2 * at + 2]];
    if (input === undefined || left === undefined) return;
    const isLeft = right === undefined || compareInputs(left, right) <= 0;
    const child = isLeft ? left : right;
    if (compareInputs(input, child) <= 0) return;
    heap[at] = child;
    at = isLeft ? 2 * at + 1 : 2 * at + 2;
    heap[at] = input;
  }
}
