import { draw, type Panel } from '../../lib/picture.ts';
import { SERVICES } from './deployment.ts';
import type { Measured } from './measure.ts';
import { LOADS } from './model.ts';
import { boundedTables, microsOf, nameOf } from './sizing.ts';

/** Tables smaller than this share of the largest one are omitted. */
const SMALL = 0.01;

/** Draws how memory, CPU, tables and objects grow with the share of the model. */
export function scalePicture(all: Measured[]): string {
  const largest = all.at(-1);
  if (largest === undefined) return '';
  const panel = (title: string, up: string, lines: Panel['lines']): Panel => ({
    title,
    axes: { up, right: '% of the model', to: 100 },
    lines,
  });
  const line = (name: string, unit: string, of: (measured: Measured) => number): Panel['lines'][number] => ({
    name,
    unit,
    points: all
      .map((measured) => ({ x: measured.size.share * 100, value: of(measured) }))
      .filter(({ x, value }) => x >= 1 && value > 0),
  });
  const bytesOf = (measured: Measured, name: string) =>
    measured.tables.find((table) => nameOf(table) === name)?.bytes ?? 0;
  const tables = boundedTables(largest).map(({ table }) => nameOf(table));
  const most = Math.max(...tables.map((name) => bytesOf(largest, name)));
  const services = LOADS.flatMap((load) =>
    microsOf(load, largest.peaks.zipf, largest.idle).map((one) => ({ load, ...one })),
  );
  return draw('Memory, CPU, tables and objects from 1% to 100% of the model', [
    panel(
      'Memory',
      'MB of a pod',
      SERVICES.map((service) => line(service, 'MB', ({ peakMb }) => peakMb[service])),
    ),
    panel(
      'CPU',
      'us each, by Zipf',
      services.map(({ load, service }) =>
        line(
          `${load}, ${service}`,
          'us',
          ({ peaks, idle }) =>
            microsOf(load, peaks.zipf, idle).find((one) => one.service === service)?.micros ?? 0,
        ),
      ),
    ),
    panel(
      'Tables',
      'MB, with indexes',
      tables
        .filter((name) => bytesOf(largest, name) > most * SMALL)
        .map((name) => line(name, 'MB', (measured) => bytesOf(measured, name) / 1e6)),
    ),
    panel('Objects', 'a day', [
      line('written', '', ({ objects }) => objects.written),
      line('merged', '', ({ objects }) => objects.merged),
    ]),
  ]);
}
