import { MAX_USED_SDKS, type UsedWire, type WireUsageRecord } from '@switchboard/contracts';
import type { Sent } from '@switchboard/http';

export type Count = WireUsageRecord['counts'][number];

/** Counts accepted requests by project, wire and SDK in memory. */
export interface Counts {
  add(projectId: string, wire: UsedWire, sent: Sent | undefined): void;
  /** Returns the counts and starts from zero. */
  take(): Map<string, Count[]>;
}

/** The projects that are counted between two records. Requests of further ones are not counted. */
const MAX_PROJECTS = 100_000;
/** Clients choose these names, so that everything else counts as unknown. */
const NAME = /^[\w@/.+ -]{1,60}$/;
const UNKNOWN = { sdk: '', version: '' };

/** The counts of a project. Few, so that comparing is faster than composing a key. */
interface ProjectCounts {
  all: Count[];
  /** The number of those of known SDKs. */
  named: number;
}

export function createCounts(): Counts {
  let projects = new Map<string, ProjectCounts>();

  function countsOf(projectId: string): ProjectCounts | undefined {
    const known = projects.get(projectId);
    if (known !== undefined || projects.size >= MAX_PROJECTS) return known;
    const counts = { all: [], named: 0 };
    projects.set(projectId, counts);
    return counts;
  }

  return {
    add(projectId, wire, sent) {
      const counts = countsOf(projectId);
      if (counts === undefined) return;
      const { sdk = '', version = '', events = 0 } = sent ?? {};
      const count = find(counts, wire, sdk, version) ?? begin(counts, wire, sdk, version);
      count.requests += 1;
      count.events += events;
    },

    take() {
      const taken = projects;
      projects = new Map();
      return new Map([...taken].map(([projectId, { all }]) => [projectId, all]));
    },
  };
}

function find({ all }: ProjectCounts, wire: UsedWire, sdk: string, version: string): Count | undefined {
  for (const count of all)
    if (count.wire === wire && count.sdk === sdk && count.version === version) return count;
  return undefined;
}

/** Returns the count of an SDK without one of this name: a new one, or that of unknown SDKs. */
function begin(counts: ProjectCounts, wire: UsedWire, sdk: string, version: string): Count {
  const isNamed = NAME.test(sdk) && counts.named < MAX_USED_SDKS;
  const name = isNamed ? { sdk, version: NAME.test(version) ? version : '' } : UNKNOWN;
  const known = find(counts, wire, name.sdk, name.version);
  if (known !== undefined) return known;
  const count = { wire, ...name, requests: 0, events: 0 };
  counts.all.push(count);
  if (isNamed) counts.named += 1;
  return count;
}
