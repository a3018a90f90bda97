import { bucketOf } from '@switchboard/contracts';
import { ANY_PROJECT, type Coverage } from '../rows/contents.ts';
import { ROW_GROUP_ROWS } from '../rows/encode.ts';
import type { KnownFile } from './store.ts';

/** Files of one day to merge. */
export interface Merge {
  day: string;
  files: KnownFile[];
  /** The number of buckets for the rows. 1 merges all into one file with the same coverage. */
  buckets: number;
}

/** The limit of bytes of rows held during a merge. */
const MAX_HELD_BYTES = 64 * 1024 * 1024;
const MAX_MERGED_FILES = 400;
/** The minimum for a day that may still get many files. */
const MIN_FILES_OF_OPEN_DAY = 16;
/** Bounds how often each row is rewritten, at the cost of a few more files. */
const SHARE_OF_OPEN_DAY = 1 / 4;
const MAX_BUCKETS = 256;

interface PlanOptions {
  /** Whether a day gets hardly any new files. */
  isClosed(day: string): boolean;
  /** The maximum number of bytes merged at once, and the approximate size of a bucket's file. */
  mergeBytes: number;
}

/**
 * Returns the next files to merge, if any. Files of an open day are merged once there are many. On closed days,
 * rows of many projects are split into buckets, with few files for each.
 */
export function nextMerge(
  files: readonly KnownFile[],
  { isClosed, mergeBytes }: PlanOptions,
): Merge | undefined {
  for (const [day, ofDay] of Map.groupBy(files, (file) => file.day)) {
    const closed = isClosed(day);
    const buckets = closed ? bucketsOf(ofDay, mergeBytes) : 1;
    for (const group of Map.groupBy(
      ofDay,
      ({ projectId, bucket, buckets: of }) => `${bucket} ${of} ${projectId}`,
    ).values()) {
      const isShared = group.every((file) => file.projectId === null && file.bucket === null);
      const fit = fitting(group, mergeBytes);
      const share = closed ? 1 : SHARE_OF_OPEN_DAY;
      const chosen = isShared && buckets > 1 ? fit : worthMerging(fit, share);
      const least = closed ? (isShared && buckets > 1 ? 1 : 2) : MIN_FILES_OF_OPEN_DAY;
      if (chosen.length >= least) return { day, files: chosen, buckets: isShared ? buckets : 1 };
    }
  }
  return undefined;
}

/** Returns the file for a project's rows when shared files are split. A large project gets its own. */
export function coverageOf(
  projectId: string,
  { buckets, isLarge }: { buckets: number; isLarge: boolean },
): Coverage {
  if (isLarge) return { ...ANY_PROJECT, projectId };
  return { ...ANY_PROJECT, bucket: bucketOf(projectId, buckets), buckets };
}

function bucketsOf(files: readonly KnownFile[], mergeBytes: number): number {
  // Once a day is split, late files use the same buckets.
  const known = files.flatMap((file) => file.buckets ?? [])[0];
  const bytes = sum(files.map((file) => file.bytes));
  return known ?? Math.max(1, Math.min(MAX_BUCKETS, 2 ** Math.ceil(Math.log2(bytes / mergeBytes))));
}

/** Returns the smallest files that can be merged at once. */
function fitting(files: readonly KnownFile[], mergeBytes: number): KnownFile[] {
  const chosen: KnownFile[] = [];
  let [bytes, held] = [0, 0];
  for (const file of files.toSorted((one, other) => one.bytes - other.bytes)) {
    bytes += file.bytes;
    held += file.rowBytes * Math.min(1, ROW_GROUP_ROWS / file.rows);
    const isTooMuch = bytes > mergeBytes || held > MAX_HELD_BYTES || chosen.length === MAX_MERGED_FILES;
    if (chosen.length > 0 && isTooMuch) break;
    chosen.push(file);
  }
  return chosen;
}

/**
 * Omits files with more rows than this share of all smaller ones together, because rewriting them is not worthwhile.
 */
function worthMerging(files: readonly KnownFile[], share: number): KnownFile[] {
  const chosen = [...files];
  for (let last = chosen.at(-1); last !== undefined; last = chosen.at(-1)) {
    if (last.rows <= share * sum(chosen.slice(0, -1).map((file) => file.rows))) break;
    chosen.pop();
  }
  return chosen;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
