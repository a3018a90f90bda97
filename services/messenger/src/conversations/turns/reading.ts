import type { Directory } from '@switchboard/directory';
import { createFairQueue, yieldToLoop } from '@switchboard/fairness';
import { fairnessKeyOfProject } from '@switchboard/http';
import type { ConversationSize, TurnRow } from '../rows.ts';
import type { TurnsStore } from './store.ts';

/** The number of conversations read at the same time. The largest take megabytes and milliseconds each. */
const MAX_CONCURRENT = 2;
/** The bytes of a conversation read at a time. They are answered within a millisecond. */
const PAGE_BYTES = 200_000;

export type ReadTurns = (
  projectId: string,
  conversation: ConversationSize,
  after: number | undefined,
) => Promise<TurnRow[]>;

/**
 * Reads the turns of conversations for responses, oldest first. Projects take turns, also between the pages of
 * a large conversation and when one is converted to JSON.
 */
export function createReadTurns(store: Pick<TurnsStore, 'read'>, nameAuthors: NameAuthors): ReadTurns {
  const queued = createFairQueue(MAX_CONCURRENT);
  return async (projectId, { id, turnCount, turnBytes }, after = 0) => {
    const pageTurns = Math.max(1, Math.floor((PAGE_BYTES * turnCount) / Math.max(1, turnBytes)));
    const isLarge = turnCount - after > pageTurns;
    const all: TurnRow[] = [];
    for (let from = after; from < turnCount; from += pageTurns) {
      const range = { after: from, upTo: Math.min(from + pageTurns, turnCount) };
      const page = await queued(projectId, async () => {
        const turns = await store.read(projectId, id, range);
        if (isLarge) await yieldToLoop(fairnessKeyOfProject(projectId));
        return turns;
      });
      all.push(...page);
    }
    return nameAuthors(projectId, all);
  };
}

/** Adds the directory's name to turns of members without an entry in the project's team. */
export type NameAuthors = (projectId: string, turns: TurnRow[]) => Promise<TurnRow[]>;

export function createNameAuthors(directory: Pick<Directory, 'project' | 'members'>): NameAuthors {
  return async (projectId, turns) => {
    const subs = new Set(turns.flatMap((turn) => (isUnnamed(turn) ? [turn.authorId] : [])));
    if (subs.size === 0) return turns;
    const project = await directory.project(projectId);
    const members = project === undefined ? [] : await directory.members(project.companyId, [...subs]);
    const names = new Map(members.map(({ sub, name }) => [sub, name]));
    return turns.map((turn) =>
      isUnnamed(turn) ? { ...turn, authorName: names.get(turn.authorId) ?? null } : turn,
    );
  };
}

function isUnnamed(turn: TurnRow): turn is TurnRow & { authorId: string } {
  return turn.authorKind === 'teammate' && turn.authorId !== null && turn.authorName === null;
}
