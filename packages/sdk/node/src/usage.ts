import type { Decision } from '@switchboard/flag-engine';
import type { Transport } from './transport.ts';

interface UsageOptions {
  host: string;
  transport: Transport;
  isOn: boolean;
}

/** Counts the outcomes of flags, and reports them once a minute. */
export interface Usage {
  count(decision: Decision): void;
  /** Reports the counts now. Never rejects. */
  send(): Promise<void>;
}

const EVERY_MS = 60_000;
const MAX_ENTRIES = 1_000;
const MAX_COUNT = 100_000_000;

export function createUsage({ host, transport, isOn }: UsageOptions): Usage {
  // A ruleset has one object for each outcome, so counting compares no names.
  let counts = new Map<Decision, number>();
  let timer: NodeJS.Timeout | undefined;

  function add(decision: Decision, count: number): void {
    counts.set(decision, (counts.get(decision) ?? 0) + count);
    timer ??= setTimeout(() => void send(), EVERY_MS).unref();
  }

  async function report(counted: readonly (readonly [Decision, number])[]): Promise<void> {
    const usage = counted.map(([{ key, served }, count]) => ({
      flag: key,
      variation: served,
      count: Math.min(count, MAX_COUNT),
    }));
    let isRetried = true;
    try {
      const response = await transport.post(`${host}/v1/flags/usage`, JSON.stringify({ usage }));
      await response.text();
      isRetried = response.status === 429 || response.status >= 500;
    } catch {
      // The network failed, or the client was closed.
    }
    if (isRetried) for (const [decision, count] of counted) add(decision, count);
  }

  async function send(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const counted = [...counts];
    counts = new Map();
    for (let from = 0; from < counted.length; from += MAX_ENTRIES)
      await report(counted.slice(from, from + MAX_ENTRIES));
  }

  return {
    count(decision) {
      if (isOn) add(decision, 1);
    },
    send,
  };
}
