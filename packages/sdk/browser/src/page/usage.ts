interface UsageOptions {
  key: string;
  host: string;
  transport: { postLast(url: string, json: string): Promise<unknown> };
  /** The distinct id. Empty without consent, and then nothing is sent. */
  distinctId(): string;
}

interface Values {
  flags: Readonly<Record<string, unknown>>;
  variants: Readonly<Record<string, unknown>>;
}

/** Counts a use of a flag. Without a name, counts one of every flag, once for the same values. */
export type CountUse = (values: Values, flag?: string) => void;

const EVERY_MS = 60_000;
/** About half of the bytes that a closing page may send. */
const MAX_ENTRIES = 400;

/**
 * Returns a function that counts uses of flags. They are reported once a minute and when the page is left. A report
 * that fails is lost. Imported on demand, since pages without flags need none of it.
 */
export function createUsage({ key, host, transport, distinctId }: UsageOptions): CountUse {
  const counts = new Map<string, { flag: string; variation: string; count: number }>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let counted: Values | undefined;

  function send(): void {
    clearTimeout(timer);
    timer = undefined;
    removeEventListener('pagehide', send);
    // Joined here, because a library may change how arrays are serialized.
    const usage = Array.from(counts.values(), (entry) => JSON.stringify(entry)).join();
    counts.clear();
    if (distinctId() === '') return;
    const body = `{"api_key":${JSON.stringify(key)},"usage":[${usage}]}`;
    transport.postLast(`${host}/v1/flags/usage`, body).catch(() => undefined);
  }

  function add({ flags, variants }: Values, flag: string): void {
    if (!Object.hasOwn(flags, flag)) return;
    const variant = variants[flag];
    const variation = typeof variant === 'string' ? variant : flags[flag] ? 'on' : 'off';
    const name = `${flag}\n${variation}`;
    const entry = counts.get(name) ?? { flag, variation, count: 0 };
    entry.count++;
    if (counts.size < MAX_ENTRIES) counts.set(name, entry);
    if (timer !== undefined) return;
    timer = setTimeout(send, EVERY_MS);
    addEventListener('pagehide', send);
  }

  return (values, flag) => {
    if (flag !== undefined) return add(values, flag);
    if (counted === values) return;
    counted = values;
    for (const name of Object.keys(values.flags)) add(values, name);
  };
}
