/** What the requests of a project took, per second. */
export interface ProjectLoad {
  requests: number;
  /** Responses 429 and 5xx. */
  refused: number;
  /** In progress; a project whose requests take two seconds in each second keeps two of them running. */
  seconds: number;
}

interface Projects {
  /** Counts a finished request. */
  observe(projectId: string, status: number, seconds: number): void;
  /** The largest of a rate by project, and under `other` the sum of the rest, over the last whole window. */
  busiest(rateOf: (load: ProjectLoad) => number): Map<string, number>;
}

export const WINDOW_SECONDS = 30;
/** So many projects have a series, whoever sends what. */
export const MAX_NAMED = 20;
/** Counted one by one in a window; those that come later count as others. */
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
