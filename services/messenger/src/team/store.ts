import type { AvatarType, TeammateDefinition } from '@switchboard/contracts';
import type { Db, Transactor, Tx } from '@switchboard/database';
import { and, asc, eq, inArray } from 'drizzle-orm';
import { avatars, teammates } from '../schema/index.ts';

export interface TeammateRow {
  userId: string;
  name: string;
  initials: string | null;
  tone: string | null;
  avatarFile: string | null;
}

export interface AvatarRow {
  projectId: string;
  userId: string;
  file: string;
  contentType: AvatarType;
  bytes: number;
  createdAt: Date;
}

export interface AvatarKey {
  userId: string;
  file: string;
}

export interface TeamStore {
  find(projectId: string, userId: string): Promise<TeammateRow | undefined>;
  count(projectId: string): Promise<number>;
  /** Returns the teammates, sorted by user id. */
  list(projectId: string): Promise<TeammateRow[]>;
  /** Creates or replaces a teammate. The avatar stays. */
  put(
    projectId: string,
    userId: string,
    definition: TeammateDefinition,
    within: Transactor,
  ): Promise<TeammateRow>;
  /** Adds an avatar and makes it the teammate's current one. */
  addAvatar(avatar: AvatarRow, within: Transactor): Promise<void>;
  avatar(projectId: string, userId: string, file: string): Promise<AvatarRow | undefined>;
  /** Returns the avatars of this project that have one of these files. */
  avatarsAmong(projectId: string, files: string[]): Promise<AvatarKey[]>;
}

const teammateColumns = {
  userId: teammates.userId,
  name: teammates.name,
  initials: teammates.initials,
  tone: teammates.tone,
  avatarFile: teammates.avatarFile,
};

export function createTeamStore(db: Db | Tx): TeamStore {
  return {
    async find(projectId, userId) {
      const [row] = await db.select(teammateColumns).from(teammates).where(isTeammate(projectId, userId));
      return row;
    },

    count: (projectId) => db.$count(teammates, eq(teammates.projectId, projectId)),

    async list(projectId) {
      return db
        .select(teammateColumns)
        .from(teammates)
        .where(eq(teammates.projectId, projectId))
        .orderBy(asc(teammates.userId));
    },

    async put(projectId, userId, { name, initials = null, tone = null }, within) {
      const values = { name, initials, tone };
      const [row] = await within.transaction((tx) =>
        tx
          .insert(teammates)
          .values({ projectId, userId, ...values })
          .onConflictDoUpdate({ target: [teammates.projectId, teammates.userId], set: values })
          .returning(teammateColumns),
      );
      if (row === undefined) throw new Error('an upsert of a teammate returned no row');
      return row;
    },

    async addAvatar(avatar, within) {
      const { projectId, userId, file } = avatar;
      await within.transaction(async (tx) => {
        await tx.insert(avatars).values(avatar).onConflictDoNothing();
        await tx.update(teammates).set({ avatarFile: file }).where(isTeammate(projectId, userId));
      });
    },

    async avatar(projectId, userId, file) {
      const [row] = await db
        .select()
        .from(avatars)
        .where(and(eq(avatars.projectId, projectId), eq(avatars.userId, userId), eq(avatars.file, file)));
      return row;
    },

    async avatarsAmong(projectId, files) {
      if (files.length === 0) return [];
      return db
        .select({ userId: avatars.userId, file: avatars.file })
        .from(avatars)
        .where(and(eq(avatars.projectId, projectId), inArray(avatars.file, files)));
    },
  };
}

const isTeammate = (projectId: string, userId: string) =>
  and(eq(teammates.projectId, projectId), eq(teammates.userId, userId));
