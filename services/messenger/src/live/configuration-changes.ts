import type { MessengerMessage } from '@switchboard/contracts';
import type { Database, Listening } from '@switchboard/database';
import type { ProjectAccess } from '@switchboard/http';
import { createAnnouncer, type Hub, type Socket } from '@switchboard/realtime';
import type { Logger } from '@switchboard/runtime';
import type { Configurations } from '../configuration/configuration.ts';
import { CONFIGURATION_CHANNEL } from '../configuration/store.ts';
import { projectTopic } from '../publishing/publisher.ts';

interface ChangesOptions {
  database: Pick<Database, 'listen'>;
  hub: Pick<Hub, 'here'>;
  configurations: Pick<Configurations, 'answer' | 'isCurrent' | 'invalidate' | 'invalidateAll'>;
  logger: Logger;
}

interface Follower {
  project: ProjectAccess;
  locale: string | undefined;
  /** The version last sent to the socket. */
  sent?: string;
}

/** The topic of every socket. */
export const ALL_SOCKETS = 'all';

export type ConfigurationChanges = ReturnType<typeof createConfigurationChanges>;

/** Applies configuration changes to this instance's cache and sends them to its sockets. */
export function createConfigurationChanges({ database, hub, configurations, logger }: ChangesOptions) {
  const followers = new WeakMap<Socket, Follower>();
  const announcer = createAnnouncer({
    send: sendNewest,
    onError: (error, projectId) => logger.failed('announce configuration', error, { projectId }),
  });
  let listening: Listening | undefined;

  /** Returns false while the cache has the configuration before the change, because the database is slow or down. */
  async function sendNewest(projectId: string): Promise<boolean> {
    const sockets = followersIn(hub.here(projectTopic(projectId)));
    for (const [locale, sharing] of Map.groupBy(sockets, ([, follower]) => follower.locale)) {
      const companyId = sharing[0]?.[1].project.companyId ?? '';
      const { version } = await configurations.answer(projectId, companyId, locale);
      if (!configurations.isCurrent(projectId)) return false;
      for (const [socket, follower] of sharing) {
        if (follower.sent === version) continue;
        follower.sent = version;
        socket.send({ type: 'config_changed', version } satisfies MessengerMessage);
      }
    }
    return true;
  }

  function followersIn(sockets: Iterable<Socket>): [Socket, Follower][] {
    return [...sockets].flatMap((socket): [Socket, Follower][] => {
      const follower = followers.get(socket);
      return follower === undefined ? [] : [[socket, follower]];
    });
  }

  return {
    follow(socket: Socket, project: ProjectAccess, locale: string | undefined): void {
      followers.set(socket, { project, locale });
      socket.join(ALL_SOCKETS);
      socket.join(projectTopic(project.id));
    },

    async start(): Promise<void> {
      listening ??= await database.listen(
        CONFIGURATION_CHANNEL,
        (projectId) => {
          configurations.invalidate(projectId);
          announcer.changed(projectId);
        },
        () => {
          // Notifications may have been missed, for any project.
          configurations.invalidateAll();
          for (const [, { project }] of followersIn(hub.here(ALL_SOCKETS))) announcer.changed(project.id);
        },
      );
    },

    async stop(): Promise<void> {
      announcer.stop();
      await listening?.stop();
    },
  };
}
