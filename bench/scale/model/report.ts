import { TABLES } from '@switchboard/e2e/retention';
import { decimals, printTable, thousands } from '../../lib/table.ts';
import { SERVICES } from './deployment.ts';
import type { Measured } from './measure.ts';
import { LOADS, MODEL } from './model.ts';
import {
  ARCHIVE_RETENTION_DAYS,
  boundedTables,
  coresFor,
  microsOf,
  nameOf,
  podsFor,
  TARGETS,
  totalsOf,
} from './sizing.ts';

/** Throws if the whole model misses its targets. */
export function requireTargets(measured: Measured): void {
  const { pods, cores, podMb } = totalsOf(measured);
  const { written, merged } = measured.objects;
  const found = { pods, cores, podMb, objectsPerDay: written + merged };
  const missed = Object.entries(found).filter(
    ([name, value]) => value > TARGETS[name as keyof typeof TARGETS],
  );
  if (missed.length > 0) throw new Error(`over the targets: ${JSON.stringify(Object.fromEntries(missed))}`);
}

/** Prints the measurements at a share of the model. */
export function printMeasured(measured: Measured): void {
  const { size, idle, peaks, average, peakMb, objects } = measured;
  console.log(
    `\n${size.share * 100}%: ${thousands(size.projects)} projects of ${MODEL.flagsPerProject} flags, ${thousands(size.people)} people with ${thousands(size.people + size.joinedIds)} ids, ${thousands(size.archivedEvents)} archived events, ${thousands(size.conversations)} conversations, ${MODEL.partitions} partitions`,
  );
  const worse = (service: (typeof SERVICES)[number]) =>
    Math.max(peaks.zipf.cores[service], peaks.uniform.cores[service]);
  printTable(
    [
      'service',
      'CPUs idle',
      'at average',
      'at peak, Zipf',
      'at peak, uniform',
      'peak MB of a pod',
      'pods',
      'their CPUs',
    ],
    SERVICES.map((service) => [
      service,
      ...[idle, average.cores, peaks.zipf.cores, peaks.uniform.cores].map((cores) =>
        decimals(cores[service], 3),
      ),
      thousands(peakMb[service]),
      String(podsFor(service, worse(service))),
      decimals(coresFor(service, { idle: idle[service], peak: worse(service) }), 2),
    ]),
  );
  const windows = { 'average, Zipf': average, 'peak, Zipf': peaks.zipf, 'peak, uniform': peaks.uniform };
  printTable(
    ['load', 'at', 'a second', 'failed', 'p50 ms', 'p99 ms', 'CPU us each'],
    Object.entries(windows).flatMap(([name, window]) =>
      LOADS.map((load) => {
        const { done, failures, p50, p99 } = window.loads[load];
        const failed = Object.entries(failures).map(([status, count]) => `${count} with ${status}`);
        const micros = microsOf(load, window, idle).map((one) => `${one.service} ${thousands(one.micros)}`);
        return [
          load,
          name,
          decimals(done / window.seconds),
          failed.join(', ') || '0',
          ...[p50, p99].map((ms) => decimals(ms)),
          micros.join(', '),
        ];
      }),
    ),
  );
  printTable(
    ['table', 'rows', 'MB', 'bytes a row', 'rows at the model', 'GB at the model', 'bound'],
    boundedTables(measured).map(({ table, bytesPerRow, modelRows, modelBytes }) => [
      nameOf(table),
      thousands(table.rows),
      decimals(table.bytes / 1e6),
      thousands(bytesPerRow),
      thousands(modelRows),
      decimals(modelBytes / 1e9, 2),
      boundOf(table.service, table.name),
    ]),
  );
  const totals = totalsOf(measured);
  printTable(
    ['of the model', 'measured', 'target'],
    [
      ['pods', String(totals.pods), String(TARGETS.pods)],
      ['CPUs at peak', decimals(totals.cores, 2), String(TARGETS.cores)],
      ['MB of the largest pod', thousands(totals.podMb), String(TARGETS.podMb)],
      [
        'objects a day',
        `${thousands(objects.written)} + ${thousands(objects.merged)} merged`,
        thousands(TARGETS.objectsPerDay),
      ],
      ['MB of the topic people', decimals(measured.joins.topicBytes / 1e6), ''],
      ['seconds to build its replica in analytics', decimals(measured.joins.restartSeconds), ''],
      ['bytes of an archived event', decimals(measured.archivedBytes / size.archivedEvents), ''],
    ],
  );
  console.log(`Files of events: kept for ARCHIVE_RETENTION_DAYS=${ARCHIVE_RETENTION_DAYS}.`);
}

function boundOf(service: string, table: string): string {
  const bound = TABLES[service]?.[table];
  return bound === undefined ? '' : Object.values(bound).join();
}
