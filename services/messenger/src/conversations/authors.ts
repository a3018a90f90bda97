import type { Directory } from '@switchboard/directory';
import type { TurnRow } from './store.ts';

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
