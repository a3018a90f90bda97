/** A value of Prometheus' text format. */
export interface Sample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const LINE = /^([a-z_:]+)(?:\{(.*)\})? (\S+)/;
const LABEL = /([a-z_]+)="((?:[^"\\]|\\.)*)"/g;

/** Returns the values of the named metrics. Lines that are not understood are skipped. */
export function readSamples(text: string, names: ReadonlySet<string>): Sample[] {
  return text.split('\n').flatMap((line) => {
    const [, name = '', labels = '', value] = LINE.exec(line) ?? [];
    if (!names.has(name)) return [];
    const read = [...labels.matchAll(LABEL)].map(([, label = '', of = '']): [string, string] => [label, of]);
    return [{ name, labels: Object.fromEntries(read), value: Number(value) }];
  });
}
