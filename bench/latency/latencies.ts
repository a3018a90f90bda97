/** The latencies of a scenario. */
export interface Latencies {
  name: string;
  /** Milliseconds. */
  ms: number[];
  /** The number of changes that did not take effect in time. Default: 0. */
  missed?: number;
}
