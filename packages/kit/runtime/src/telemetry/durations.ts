import { Histogram, type HistogramConfiguration } from 'prom-client';

/** Counts the durations of one set of labels. */
export interface Observer {
  observe(seconds: number): void;
}

class Series implements Observer {
  readonly labels: Record<string, string>;
  readonly counts: number[];
  sum = 0;
  readonly #bounds: readonly number[];

  constructor(labels: Record<string, string>, bounds: readonly number[]) {
    this.labels = labels;
    this.#bounds = bounds;
    this.counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  observe(seconds: number): void {
    const bounds = this.#bounds;
    let bucket = 0;
    while (bucket < bounds.length && seconds > (bounds[bucket] ?? 0)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += seconds;
  }
}

/**
 * A histogram that looks up the series of its labels once. prom-client's own validates and hashes the labels of every
 * observation, which takes longer than the routing of a small request.
 */
export class Durations extends Histogram {
  readonly #series = new Map<string, Series>();
  readonly #bounds: readonly number[];
  readonly #configuration: Pick<HistogramConfiguration<string>, 'name' | 'help'>;

  constructor(configuration: Omit<HistogramConfiguration<string>, 'buckets'>, bounds: readonly number[]) {
    super({ ...configuration, buckets: [...bounds] });
    this.#configuration = configuration;
    this.#bounds = bounds;
  }

  observer(labels: Record<string, string>): Observer {
    const name = JSON.stringify(labels);
    const series = this.#series.get(name) ?? new Series(labels, this.#bounds);
    this.#series.set(name, series);
    return series;
  }

  /** Returns the data for the registry, which also calls it through `get`. */
  async getForPromString() {
    const { name, help } = this.#configuration;
    const values = [...this.#series.values()].flatMap(({ labels, counts, sum }) => {
      let count = 0;
      const buckets = counts.map((inBucket, index) => {
        count += inBucket;
        const le = this.#bounds[index] ?? '+Inf';
        return { labels: { ...labels, le }, value: count, metricName: `${name}_bucket` };
      });
      return [
        ...buckets,
        { labels: { ...labels }, value: sum, metricName: `${name}_sum` },
        { labels: { ...labels }, value: count, metricName: `${name}_count` },
      ].map((value) => ({ ...value, sharedLabels: {} }));
    });
    return { name, help, type: 'histogram', aggregator: 'sum', values };
  }
}
