import type { AvatarType, TeammateDefinition } from '@switchboard/contracts';
import { and, asc, eq, inArray } from 'drizzle-orm';
import type { Db } from '../db.ts';
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

export type TeamStore = ReturnType<typeof createTeamStore>;

const columns = {
  userId: teammates.userId,
  name: teammates.name,
  initials: teammates.initials,
  tone: teammates.tone,
  avatarFile: teammates.avatarFile,
};

export function createTeamStore(db: Db) {
  const ofPerson = (projectId: string, userId: string) =>
    and(eq(teammates.projectId, projectId), eq(teammates.userId, userId));

  return {
    async find(projectId: string, userId: string): Promise<TeammateRow | undefined> {
      const [row] = await db.select(columns).from(teammates).where(ofPerson(projectId, userId));
      return row;
    },

    async list(projectId: string): Promise<TeammateRow[]> {
      const ofProject = eq(teammates.projectId, projectId);
      return db.select(columns).from(teammates).where(ofProject).orderBy(asc(teammates.userId));
    },

    /** Keeps the picture. */
    async put(
      projectId: string,
      userId: string,
      given: TeammateDefinition,
    ): Promise<TeammateRow | undefined> {
      const values = { name: given.name, initials: given.initials ?? null, tone: given.tone ?? null };
      const [row] = await db
        .insert(teammates)
        .values({ projectId, userId, ...values })
        .onConflictDoUpdate({ target: [teammates.projectId, teammates.userId], set: values })
        .returning(columns);
      return row;
    },

    async addAvatar(avatar: AvatarRow): Promise<void> {
      await db.transaction(async (tx) => {
        await tx.insert(avatars).values(avatar).onConflictDoNothing();
        await tx
          .update(teammates)
          .set({ avatarFile: avatar.file })
          .where(ofPerson(avatar.projectId, avatar.userId));
      });
    },

    async avatar(projectId: string, userId: string, file: string): Promise<AvatarRow | undefined> {
      const [row] = await db
        .select()
        .from(avatars)
        .where(and(eq(avatars.projectId, projectId), eq(avatars.userId, userId), eq(avatars.file, file)));
      return row;
    },

    /** Those of the files that are pictures of this project, by person. */
    async avatarsAmong(projectId: string, files: string[]): Promise<{ userId: string; file: string }[]> {
      if (files.length === 0) return [];
      return db
        .select({ userId: avatars.userId, file: avatars.file })
        .from(avatars)
        .where(and(eq(avatars.projectId, projectId), inArray(avatars.file, files)));
    },
  };
}
