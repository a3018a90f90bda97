import type { Database, Listening } from '@switchboard/database';
import type { Hub, Socket } from '@switchboard/realtime';
import type { Logger, ProjectAccess } from '@switchboard/service-kit';
import type { Configurations } from '../configuration/configuration.ts';
import { configurationChannel } from '../configuration/store.ts';

interface ChangesOptions {
  database: Pick<Database, 'listen'>;
  hub: Pick<Hub, 'here'>;
  configurations: Pick<Configurations, 'answer' | 'changed' | 'changesMissed'>;
  logger: Logger;
}

interface Follower {
  project: ProjectAccess;
  locale: string | undefined;
}

const EVERYBODY = 'everybody';
const projectTopic = (projectId: string) => `project:${projectId}`;

/** Carries changes of configurations to this instance's memory and to its sockets. */
export function createConfigurationChanges({ database, hub, configurations, logger }: ChangesOptions) {
  const followers = new WeakMap<Socket, Follower>();
  let listening: Listening | undefined;

  async function tell(sockets: Iterable<Socket>): Promise<void> {
    const versions = new Map<string, Promise<string>>();
    for (const socket of [...sockets]) {
      const follower = followers.get(socket);
      if (follower === undefined) continue;
      const { project, locale } = follower;
      const name = JSON.stringify([project.id, locale]);
      const found = versions.get(name) ?? versionOf(follower);
      versions.set(name, found);
      socket.send({ type: 'config_changed', version: await found });
    }
  }

  async function versionOf({ project, locale }: Follower): Promise<string> {
    return (await configurations.answer(project.id, project.companyId, locale)).version;
  }

  function tellLater(sockets: Iterable<Socket>): void {
    tell(sockets).catch((error) =>
      logger.warn({ error }, 'sockets were not told of a changed configuration'),
    );
  }

  return {
    follow(socket: Socket, project: ProjectAccess, locale: string | undefined): void {
      followers.set(socket, { project, locale });
      socket.join(EVERYBODY);
      socket.join(projectTopic(project.id));
    },

    async start(): Promise<void> {
      listening ??= await database.listen(
        configurationChannel,
        (projectId) => {
          configurations.changed(projectId);
          tellLater(hub.here(projectTopic(projectId)));
        },
        () => {
          // Which have changed meanwhile is not known: everyone looks.
          configurations.changesMissed();
          tellLater(hub.here(EVERYBODY));
        },
      );
    },

    async stop(): Promise<void> {
      await listening?.stop();
    },
  };
}
