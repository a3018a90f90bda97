import type { Program } from '@switchboard/testkit';

/**
 * Returns the longest block of a service's event loop since the last call, in milliseconds. Reading the metric resets
 * it.
 */
export async function longestBlockMs({ url }: Program): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return Number(/^nodejs_eventloop_lag_max_seconds(?:\{[^}]*\})? (\S+)/m.exec(metrics)?.[1] ?? 0) * 1000;
}
