/** The load of a project's requests, per second. */
export interface ProjectLoad {
  requests: number;
  /** The number of 429 and 5xx responses. */
  refused: number;
  /** Seconds of requests in progress. Two seconds per second mean two concurrent requests on average. */
  seconds: number;
}

interface Projects {
  /** Counts a finished request. */
  observe(projectId: string, status: number, seconds: number): void;
  /** Returns the highest rates by project over the last whole window, and the sum of the rest under `other`. */
  busiest(rateOf: (load: ProjectLoad) => number): Map<string, number>;
}

export const WINDOW_SECONDS = 30;
/** The maximum number of projects with their own series. */
export const MAX_NAMED = 20;
/** The number of projects counted individually in a window. Later ones count as `other`. */
const MAX_COUNTED = 10_000;

const OTHER = 'other';

const NOTHING: ProjectLoad = { requests: 0, refused: 0, seconds: 0 };

/** Counts requests by project in windows of half a minute. `now` is in seconds. */
export function projectLoad(now: () => number = () => performance.now() / 1000): Projects {
  let beganAt = now();
  let current = new Map<string, ProjectLoad>();
  let last = new Map<string, ProjectLoad>();

  function turn(): void {
    const windows = Math.floor((now() - beganAt) / WINDOW_SECONDS);
    if (windows === 0) return;
    beganAt += windows * WINDOW_SECONDS;
    last = windows === 1 ? current : new Map();
    current = new Map();
  }

  function loadOf(projectId: string): ProjectLoad {
    const known = current.get(projectId);
    if (known !== undefined) return known;
    const name = current.size < MAX_COUNTED ? projectId : OTHER;
    const load = current.get(name) ?? { ...NOTHING };
    current.set(name, load);
    return load;
  }

  return {
    observe(projectId, status, seconds) {
      turn();
      const load = loadOf(projectId);
      load.requests++;
      load.seconds += seconds;
      if (status === 429 || status >= 500) load.refused++;
    },

    busiest(rateOf) {
      turn();
      const rates = Array.from(last, ([id, load]): [string, number] => [id, rateOf(load) / WINDOW_SECONDS]);
      rates.sort(([, a], [, b]) => b - a);
      const named = rates.filter(([id, rate]) => id !== OTHER && rate > 0).slice(0, MAX_NAMED);
      const shown = new Map(named);
      let rest = 0;
      for (const [id, rate] of rates) if (!shown.has(id)) rest += rate;
      return shown.set(OTHER, rest);
    },
  };
}
