import { PODS, SERVICES, type Service } from './deployment.ts';
import type { Measured, Window } from './measure.ts';
import { AVERAGE, type Load, MODEL } from './model.ts';
import type { Table } from './tables.ts';

/** What the model may take. */
export const TARGETS = { pods: 12, cores: 3, podMb: 1024, objectsPerDay: 200_000 };

/** The gateway is Caddy, which is not measured. */
const GATEWAYS = 1;
/** Of the core that a process has, when another pod is started. */
const BUSY = 0.7;
const DAY = 86_400;

/** How many pods of a service carry so many cores, in processes of one core each. */
export const podsFor = (service: Service, cores: number): number =>
  Math.max(PODS[service].least, Math.ceil(cores / BUSY));

/** What a pod more than the measured one takes is what it takes idle. */
export function coresFor(service: Service, { idle, peak }: { idle: number; peak: number }): number {
  return peak + (podsFor(service, peak) - 1) * idle;
}

export interface Totals {
  pods: number;
  /** At the peak. */
  cores: number;
  /** Of the largest pod. */
  podMb: number;
  objectsPerDay: number;
}

/** Of all services, with the spread of projects that takes more. */
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

/** Microseconds of CPU that one of a load takes of each service, without what the service takes idle. */
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

/** How many rows a table gets to, and what bounds it. Those that are missing are bounded by something small. */
export interface Growth {
  table: string;
  /** Rows at the model, from what was measured. */
  rows(measured: Measured): number;
}

/** In this example; without the setting they are kept for ever. */
export const ARCHIVE_RETENTION_DAYS = 365;
/** As `rows per file` of the archive's merging. */
const OWN_FILE_ROWS = 100_000;
const BUCKET_BYTES = 32 * 1024 * 1024;
const SEEN_DAYS = 8;
const SEGMENT_DAYS = 7;
const DELETED_FILE_DAYS = 9;

/** Files that are left of a day at the model's rate, by Zipf: of buckets, and of projects with many rows. */
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
    // Those that were merged stay for an hour.
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
  /** With its indexes. */
  bytesPerRow: number;
  modelRows: number;
  modelBytes: number;
}

/** The tables that grow, with what they come to at the model. */
export function boundedTables(measured: Measured): Bounded[] {
  return GROWTH.flatMap(({ table: name, rows }) => {
    const table = measured.tables.find((one) => nameOf(one) === name);
    if (table === undefined || table.rows === 0) return [];
    const bytesPerRow = table.bytes / table.rows;
    const modelRows = rows(measured);
    return [{ table, bytesPerRow, modelRows, modelBytes: modelRows * bytesPerRow }];
  });
}
