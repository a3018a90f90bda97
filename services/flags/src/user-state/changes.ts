import { hash } from 'node:crypto';
import type { Database, Listening } from '@switchboard/database';
import { shareOfHeap } from '@switchboard/resilience';
import { LRUCache } from 'lru-cache';

/** NOTIFY channel of changed user state; migration 0007 says what its messages are. */
const CHANGED_CHANNEL = 'user_state_changed';

/** What was read holds for so long at most. That announcements are lost is noticed sooner, within 20 s. */
const TRUSTED_MS = 600_000;
/** What is watched of more people or projects counts as changed. */
const MAX_PEOPLE_BYTES = shareOfHeap(0.04, 32 * 1024 * 1024);
const MAX_PROJECTS_BYTES = shareOfHeap(0.005, 4 * 1024 * 1024);
const ENTRY_BYTES = 200;

/** How often a person, or something of a project, has changed. */
interface Changes {
  ofAll: number;
  /** Of the traits of groups. */
  ofGroups: number;
}

/** Since when a person is watched. */
export interface Watch {
  readonly person: Changes;
  readonly project: Changes;
  readonly ofPerson: number;
  readonly ofProject: number;
  readonly ofGroups: number;
  readonly gaps: number;
  readonly until: number;
}

/** Tells whether a person's state has changed since it was read, by this process or another. */
export interface StateChanges {
  /** May be called again if it throws. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** To be called before the state is read. */
  watch(projectId: string, distinctId: string): Watch;
  /** Whether a state that was read since still holds. A change of PostgreSQL's takes about a millisecond to be known. */
  holds(watch: Watch, hasGroups: boolean): boolean;
  /** The project's cohorts have changed in this process, which does not wait for the announcement. */
  invalidate(projectId: string): void;
}

export function createStateChanges({ database }: { database: Pick<Database, 'listen'> }): StateChanges {
  const people = cacheOfChanges(MAX_PEOPLE_BYTES);
  const projects = cacheOfChanges(MAX_PROJECTS_BYTES);
  let gaps = 0;
  let listening: Listening | undefined;

  function onMessage(payload: string): void {
    if (payload.startsWith('g')) {
      const project = projects.peek(payload.slice(1));
      if (project !== undefined) project.ofGroups++;
      return;
    }
    for (const id of payload.slice(1).split(' ')) {
      const person = people.peek(id);
      if (person !== undefined) person.ofAll++;
    }
  }

  return {
    async start() {
      listening ??= await database.listen(CHANGED_CHANNEL, onMessage, () => {
        gaps++;
      });
    },
    async stop() {
      await listening?.stop();
    },
    watch(projectId, distinctId) {
      const person = changesOf(people, announcedId(projectId, distinctId));
      const project = changesOf(projects, projectId);
      return {
        person,
        project,
        ofPerson: person.ofAll,
        ofProject: project.ofAll,
        ofGroups: project.ofGroups,
        gaps,
        until: performance.now() + TRUSTED_MS,
      };
    },
    holds: (watch, hasGroups) =>
      watch.ofPerson === watch.person.ofAll &&
      watch.ofProject === watch.project.ofAll &&
      (!hasGroups || watch.ofGroups === watch.project.ofGroups) &&
      watch.gaps === gaps &&
      performance.now() < watch.until,
    invalidate(projectId) {
      const project = projects.peek(projectId);
      if (project !== undefined) project.ofAll++;
    },
  };
}

const cacheOfChanges = (maxSize: number) =>
  new LRUCache<string, Changes>({
    maxSize,
    sizeCalculation: (_, key) => ENTRY_BYTES + key.length,
    // Nothing tells of its changes any more.
    dispose: (changes) => {
      changes.ofAll = Number.NaN;
    },
  });

function changesOf(all: LRUCache<string, Changes>, key: string): Changes {
  const known = all.get(key);
  if (known !== undefined) return known;
  const changes = { ofAll: 0, ofGroups: 0 };
  all.set(key, changes);
  return changes;
}

/** As the migration computes it. */
function announcedId(projectId: string, distinctId: string): string {
  return hash('sha256', `${projectId}\n${distinctId}`, 'hex').slice(0, 16);
}
