import { hash } from 'node:crypto';
import type { Database, Listening } from '@switchboard/database';
import { shareOfHeap } from '@switchboard/engine';
import { LRUCache } from 'lru-cache';

/** The NOTIFY channel of changed user state. Migration 0000 describes its messages. */
const CHANGED_CHANNEL = 'user_state_changed';

/** Milliseconds until a read state is no longer trusted. Lost announcements are detected sooner, within 20 s. */
const TRUSTED_MS = 600_000;
/** The memory of watched people. Watches evicted at this limit, or at that of projects, count as changed. */
const MAX_PEOPLE_BYTES = shareOfHeap(0.04, 32 * 1024 * 1024);
const MAX_PROJECTS_BYTES = shareOfHeap(0.005, 4 * 1024 * 1024);
const ENTRY_BYTES = 200;

/** The number of changes of a person or of a project. */
interface Changes {
  ofAll: number;
  /** The number of changes of the traits of groups. */
  ofGroups: number;
  /** Called once at the next change of the person. */
  onNext: (() => void) | undefined;
}

/** The numbers of changes when the watch of a person began. */
export interface Watch {
  readonly person: Changes;
  readonly project: Changes;
  readonly ofPerson: number;
  readonly ofProject: number;
  readonly ofGroups: number;
  readonly gaps: number;
  readonly until: number;
}

/** Detects changes of a person's state since it was read, by this process or another. */
export interface StateChanges {
  /** May be called again if it throws. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Must be called before the state is read. */
  watch(projectId: string, distinctId: string): Watch;
  /** Returns whether a state read since `watch` still holds. A change takes about a millisecond to arrive. */
  holds(watch: Watch, hasGroups: boolean): boolean;
  /** Calls `onNext` once when the next change of the person is announced, unless the announcement is lost. */
  onNextChange(projectId: string, distinctId: string, onNext: () => void): void;
  /** Records that this process changed the project's cohorts, without waiting for the announcement. */
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
      if (person === undefined) continue;
      person.ofAll++;
      const { onNext } = person;
      person.onNext = undefined;
      onNext?.();
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
    onNextChange(projectId, distinctId, onNext) {
      changesOf(people, announcedId(projectId, distinctId)).onNext = onNext;
    },
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
    // Changes of an evicted entry are no longer counted, so its watches must not hold.
    dispose: (changes) => {
      changes.ofAll = Number.NaN;
    },
  });

function changesOf(all: LRUCache<string, Changes>, key: string): Changes {
  const known = all.get(key);
  if (known !== undefined) return known;
  const changes = { ofAll: 0, ofGroups: 0, onNext: undefined };
  all.set(key, changes);
  return changes;
}

/** Returns the same id as the migration computes. */
function announcedId(projectId: string, distinctId: string): string {
  return hash('sha256', `${projectId}\n${distinctId}`, 'hex').slice(0, 16);
}
