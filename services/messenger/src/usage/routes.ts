import { getMessengerUsage, USAGE_DAYS } from '@switchboard/contracts';
import type { Directory } from '@switchboard/directory';
import { NotFound, type ProjectOfRegion, type ServiceApp } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { Translations } from '../translations/translations.ts';
import type { UsageStore } from './store.ts';

const DAY_MS = 86_400_000;

interface UsageDeps {
  store: UsageStore;
  translations: Pick<Translations, 'usage'>;
  directory: Pick<Directory, 'project'>;
  clock: Clock;
  conversationDays: number | undefined;
  messageDays: number | undefined;
  ofProject: ProjectOfRegion;
}

export function usageRoutes(app: ServiceApp, deps: UsageDeps): void {
  const { store, translations, clock, ofProject } = deps;
  app.implement(
    getMessengerUsage,
    async (c) => {
      const { projectId: id } = c.req.valid('param');
      const project = await deps.directory.project(id);
      if (project === undefined) throw new NotFound('Project not found.');
      const since = new Date(clock.now().getTime() - USAGE_DAYS * DAY_MS);
      const [conversation, message] = [await store.oldestConversation(id), await store.oldestMessage(id)];
      return c.json(
        {
          conversations: await store.countConversations(id, since),
          ...(await translations.usage(project.companyId)),
          retention: [
            {
              data: 'conversations' as const,
              setting: 'CONVERSATIONS_RETENTION_DAYS',
              days: deps.conversationDays ?? null,
              earliestAt: conversation?.toISOString() ?? null,
            },
            {
              data: 'messages' as const,
              setting: 'MESSAGES_RETENTION_DAYS',
              days: deps.messageDays ?? null,
              earliestAt: message?.toISOString() ?? null,
            },
          ],
        },
        200,
      );
    },
    ofProject,
  );
}
