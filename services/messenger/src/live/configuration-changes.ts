import type { Database, Listening } from '@switchboard/database';
import type { Hub, Socket } from '@switchboard/realtime';
import type { Logger, ProjectAccess } from '@switchboard/service-kit';
import type { Configurations } from '../configuration/configuration.ts';
import { CONFIGURATION_CHANNEL } from '../configuration/store.ts';

interface ChangesOptions {
  database: Pick<Database, 'listen'>;
  hub: Pick<Hub, 'here'>;
  configurations: Pick<Configurations, 'answer' | 'invalidate' | 'invalidateAll'>;
  logger: Logger;
}

interface Follower {
  project: ProjectAccess;
  locale: string | undefined;
}

const ALL_SOCKETS = 'all';
const projectTopic = (projectId: string) => `project:${projectId}`;

export type ConfigurationChanges = ReturnType<typeof createConfigurationChanges>;

/** Applies configuration changes to this instance's cache and sends them to its sockets. */
export function createConfigurationChanges({ database, hub, configurations, logger }: ChangesOptions) {
  const followers = new WeakMap<Socket, Follower>();
  let listening: Listening | undefined;

  async function sendVersions(sockets: Iterable<Socket>): Promise<void> {
    const versions = new Map<string, Promise<string>>();
    for (const socket of [...sockets]) {
      const follower = followers.get(socket);
      if (follower === undefined) continue;
      const key = JSON.stringify([follower.project.id, follower.locale]);
      const version = versions.get(key) ?? versionFor(follower);
      versions.set(key, version);
      socket.send({ type: 'config_changed', version: await version });
    }
  }

  async function versionFor({ project, locale }: Follower): Promise<string> {
    return (await configurations.answer(project.id, project.companyId, locale)).version;
  }

  function notify(sockets: Iterable<Socket>): void {
    sendVersions(sockets).catch((error) =>
      logger.warn({ error }, 'notify sockets of a configuration change failed'),
    );
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
          notify(hub.here(projectTopic(projectId)));
        },
        () => {
          // Notifications may have been missed, for any project.
          configurations.invalidateAll();
          notify(hub.here(ALL_SOCKETS));
        },
      );
    },

    async stop(): Promise<void> {
      await listening?.stop();
    },
  };
}
