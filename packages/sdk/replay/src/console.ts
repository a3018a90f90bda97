const LEVELS = ['error', 'warn', 'info', 'log'] as const;
const MAX_TEXT = 1_000;
const MAX_ENTRIES = 500;

/** An entry of the console, in the format of rrweb's plugin for it. */
interface ConsoleEntry {
  level: (typeof LEVELS)[number];
  trace: string[];
  /** JSON. */
  payload: string[];
}

/** Calls the listener for each call of the console and each uncaught error, up to 500. Returns a function that ends it. */
function watchConsole(listener: (entry: ConsoleEntry) => void): () => void {
  let left = MAX_ENTRIES;
  let isOver = false;
  const add = (level: ConsoleEntry['level'], values: unknown[]) => {
    if (isOver || left-- <= 0) return;
    try {
      listener({ level, trace: [], payload: values.map(textOf) });
    } catch {
      // A value with a getter that throws.
    }
  };
  const restore = LEVELS.map((level) => {
    const original = console[level];
    const watched = (...values: unknown[]) => {
      add(level, values);
      original.apply(console, values);
    };
    console[level] = watched;
    return () => {
      if (console[level] === watched) console[level] = original;
    };
  });
  const onError = ({ message }: ErrorEvent) => add('error', [message]);
  const onRejection = ({ reason }: PromiseRejectionEvent) => add('error', [reason]);
  addEventListener('error', onError);
  addEventListener('unhandledrejection', onRejection);
  return () => {
    isOver = true;
    for (const run of restore) run();
    removeEventListener('error', onError);
    removeEventListener('unhandledrejection', onRejection);
  };
}

/** Records the console in the format that players of rrweb know. */
export const consolePlugin = {
  name: 'rrweb/console@1',
  options: {},
  observer: (emit: (entry: ConsoleEntry) => void) => watchConsole(emit),
};

/** Returns a value as JSON of a text. Objects are named, not read: they may contain anything. */
function textOf(value: unknown): string {
  const isShort = typeof value !== 'object' || value === null || value instanceof Error;
  const text = isShort ? String(value) : Object.prototype.toString.call(value);
  return JSON.stringify(text.slice(0, MAX_TEXT));
}
