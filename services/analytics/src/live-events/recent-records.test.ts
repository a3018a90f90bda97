import type { StoredRecord } from '@switchboard/event-log';
import { expect, it, vi } from 'vitest';
import { createRecentRecords } from './recent-records.ts';

const KB = 1_024;

const record = (offset: number, bytes = 10): StoredRecord => ({
  topic: 'events',
  partition: 0,
  offset: BigInt(offset),
  key: 'shop',
  value: Buffer.alloc(bytes),
  headers: {},
  timestamp: 0,
});

const offsets = (records: readonly StoredRecord[]) => records.map(({ offset }) => Number(offset));

it('keeps the last 50 records of a project', () => {
  const recent = createRecentRecords();
  for (let offset = 0; offset < 60; offset++) recent.keep('shop', [record(offset)]);
  expect(offsets(recent.of('shop'))).toEqual(Array.from({ length: 50 }, (_, at) => 10 + at));
  expect(recent.of('blog')).toEqual([]);
  recent.clear();
  expect(recent.of('shop')).toEqual([]);
});

it('keeps at most 256 kB of a project, and no record that is larger alone', () => {
  const recent = createRecentRecords();
  for (let offset = 0; offset < 4; offset++) recent.keep('shop', [record(offset, 100 * KB)]);
  recent.keep('shop', [record(4, 300 * KB)]);
  expect(offsets(recent.of('shop'))).toEqual([2, 3]);
});

it('copies only the records that it keeps of those that arrive at once', () => {
  const recent = createRecentRecords();
  const arrived = Array.from({ length: 200 }, (_, offset) => record(offset));
  using copies = vi.spyOn(Buffer, 'from');
  recent.keep('shop', arrived);
  expect(copies).toHaveBeenCalledTimes(50);
  expect(offsets(recent.of('shop'))).toEqual(Array.from({ length: 50 }, (_, at) => 150 + at));
});

it('drops the records that are archived', () => {
  const recent = createRecentRecords();
  for (let offset = 0; offset < 4; offset++) recent.keep('shop', [record(offset)]);
  recent.keep('blog', [record(1)]);
  recent.drop(({ offset }) => offset < 2n);
  expect([offsets(recent.of('shop')), offsets(recent.of('blog'))]).toEqual([[2, 3], []]);
  recent.drop(({ offset }) => offset < 4n);
  expect(recent.hasAny()).toBe(false);
});

it('keeps at most 16 MB of all projects, and drops those without new records first', () => {
  const recent = createRecentRecords();
  const projects = Array.from({ length: 200 }, (_, at) => `project ${at}`);
  for (const project of projects) {
    recent.keep('active', [record(0, 10)]);
    recent.keep(project, [record(1, 200 * KB)]);
  }
  const kept = projects.filter((project) => recent.of(project).length > 0);
  expect(kept).toEqual(projects.slice(-kept.length));
  expect(kept.length * 200 * KB).toBeLessThan(16 * KB * KB);
  expect(kept.length).toBeGreaterThan(70);
  expect(recent.of('active').length).toBeGreaterThan(0);
});
