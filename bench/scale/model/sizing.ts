import { PODS, SERVICES, type Service } from './deployment.ts';
import type { Measured, Window } from './measure.ts';
import { AVERAGE, type Load, MODEL } from './model.ts';
import type { Table } from './tables.ts';

/** The maximum resources for the model. */
export const TARGETS = { pods: 12, cores: 3, podMb: 1024, objectsPerDay: 200_000 };

/** The number of gateway pods. The gateway is Caddy, which is not measured. */
const GATEWAYS = 1;
/** The share of a process's core at which another pod is started. */
const BUSY = 0.7;
const DAY = 86_400;

/** Returns the number of pods of a service that provide `cores` cores, with one core per process. */
export const podsFor = (service: Service, cores: number): number =>
  Math.max(PODS[service].least, Math.ceil(cores / BUSY));

/** Returns the total cores of a service. Each pod beyond the measured one adds the idle usage. */
export function coresFor(service: Service, { idle, peak }: { idle: number; peak: number }): number {
  return peak + (podsFor(service, peak) - 1) * idle;
}

export interface Totals {
  pods: number;
  /** The number of cores at the peak. */
  cores: number;
  /** The memory of the largest pod. */
  podMb: number;
  objectsPerDay: number;
}

/** Returns the totals of all services, for the distribution of projects that needs more. */
export function totalsOf({ idle, peaks, peakMb, objects }: Measured): Totals {
  const peak = (service: Service) => Math.max(peaks.zipf.cores[service], peaks.uniform.cores[service]);
  const sum = (of: (service: Service) => number) => SERVICES.reduce((total, one) => total + of(one), 0);
  return {
    pods: GATEWAYS + sum((service) => podsFor(service, peak(service))),
    cores: sum((service) => coresFor(service, { idle: idle[service], peak: peak(service) })),
    podMb: Math.max(...SERVICES.map((service) => peakMb[service])),
    objectsPerDay: objects.written + objects.merged,
  };
}

const SERVICES_OF: Record<Load, Service[]> = {
  events: ['ingestion', 'archive'],
  evaluations: ['flags'],
  turns: ['messenger'],
  questions: ['analytics'],
};

/** Returns the CPU microseconds of each service per unit of a load, without its idle usage. */
export function microsOf(
  load: Load,
  { seconds, cores, loads }: Window,
  idle: Measured['idle'],
): { service: Service; micros: number }[] {
  return SERVICES_OF[load].map((service) => ({
    service,
    micros: ((cores[service] - idle[service]) * seconds * 1e6) / loads[load].done,
  }));
}

/** The number of rows that a table reaches, and its bound. Missing tables have a small bound. */
export interface Growth {
  table: string;
  /** Returns the number of rows at the full model, extrapolated from the measurements. */
  rows(measured: Measured): number;
}

/** The retention in this example. Without the setting, events are kept indefinitely. */
export const ARCHIVE_RETENTION_DAYS = 365;
/** The same value as `rows per file` in the archive's merging. */
const OWN_FILE_ROWS = 100_000;
const BUCKET_BYTES = 32 * 1024 * 1024;
const SEEN_DAYS = 8;
const SEGMENT_DAYS = 7;
const DELETED_FILE_DAYS = 9;

/**
 * Returns the files of a closed day at the model's rate, by Zipf: those of buckets, and of projects with many rows.
 */
export function filesOfClosedDay(bytesPerEvent: number): number {
  const events = AVERAGE.events * DAY;
  const buckets = 2 ** Math.ceil(Math.log2((events * bytesPerEvent) / BUCKET_BYTES));
  const largest = events / Math.log(MODEL.projects);
  return buckets + Math.floor(largest / OWN_FILE_ROWS);
}

const share = (name: string): Growth => ({
  table: name,
  rows: (measured) => rowsIn(measured, name) / measured.size.share,
});

function rowsIn({ tables }: Measured, name: string): number {
  return tables.find((table) => nameOf(table) === name)?.rows ?? 0;
}

export const nameOf = ({ service, name }: Table): string => `${service} ${name.replace('public.', '')}`;

const segmentsPerDay = ({ objects }: Measured) => objects.written / objects.filesPerSegment;
const archivedFiles = ({ archivedBytes, size }: Measured) =>
  filesOfClosedDay(archivedBytes / size.archivedEvents) * ARCHIVE_RETENTION_DAYS;

export const GROWTH: Growth[] = [
  share('flags people'),
  share('analytics people'),
  share('flags identities'),
  share('flags persons'),
  ...(['analytics', 'archive', 'messenger', 'catalogue'] as const).map((service) =>
    share(`${service} person_ids`),
  ),
  share('flags flags'),
  share('flags flag_versions'),
  share('messenger conversations'),
  share('messenger turns'),
  { table: 'archive seen_events', rows: () => AVERAGE.events * DAY * SEEN_DAYS },
  { table: 'archive event_segments', rows: (measured) => segmentsPerDay(measured) * SEGMENT_DAYS },
  {
    table: 'archive event_files',
    rows: (measured) =>
      archivedFiles(measured) + (measured.objects.written + measured.objects.merged) * DELETED_FILE_DAYS,
  },
  {
    table: 'analytics archive_files',
    // Files that were merged stay for an hour.
    rows: (measured) => archivedFiles(measured) + measured.objects.written / 24,
  },
  share('catalogue audit_entries'),
  share('catalogue projects'),
  ...SERVICES.filter((service) => service !== 'catalogue').map((service) =>
    share(`${service} directory.entries`),
  ),
];

export interface Bounded {
  table: Table;
  /** The size of a row, including its indexes. */
  bytesPerRow: number;
  modelRows: number;
  modelBytes: number;
}

/** Returns the growing tables, with their size at the full model. */
export function boundedTables(measured: Measured): Bounded[] {
  return GROWTH.flatMap(({ table: name, rows }) => {
    const table = measured.tables.find((one) => nameOf(one) === name);
    if (table === undefined || table.rows === 0) return [];
    const bytesPerRow = table.bytes / table.rows;
    const modelRows = rows(measured);
    return [{ table, bytesPerRow, modelRows, modelBytes: modelRows * bytesPerRow }];
  });
}
