import { hash } from 'node:crypto';
import type { ConversationToImport, ImportedConversation, ImportedFrom } from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type AuditedChange, Conflict } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { SearchConfigurationOf } from '../conversations/languages.ts';
import { mailLanguage } from '../mail-texts/languages.ts';
import type { ImportsStore, NewImport } from './store.ts';

interface ImportsOptions {
  store: ImportsStore;
  directory: Pick<Directory, 'project'>;
  searchConfigurationOf: SearchConfigurationOf;
  /** The retention of conversations. Undefined if they are kept. */
  conversationDays: number | undefined;
  clock: Clock;
}

interface ImportRequest {
  source: ImportedFrom;
  dryRun: boolean;
  conversations: readonly ConversationToImport[];
}

const DAY_MS = 86_400_000;

export type Imports = ReturnType<typeof createImports>;

/** Imports conversations of other products. No one is notified. */
export function createImports(options: ImportsOptions) {
  const { store, directory, searchConfigurationOf, conversationDays, clock } = options;

  return {
    async run(
      change: AuditedChange,
      projectId: string,
      { source, dryRun, conversations }: ImportRequest,
    ): Promise<ImportedConversation[]> {
      const now = clock.now();
      const keptFrom =
        conversationDays === undefined ? undefined : new Date(now.getTime() - conversationDays * DAY_MS);
      const given = conversations.map((one) => newImport(one, idOf(projectId, source, one.externalId), now));
      const isKept = ({ lastTurnAt }: NewImport) => keptFrom === undefined || lastTurnAt >= keptFrom;
      const stored = await store.add(
        {
          ...{ projectId, source, now },
          conversations: given.filter(isKept),
          searchConfiguration: await searchConfigurationOf(projectId),
          mailLanguage: mailLanguage((await directory.project(projectId))?.defaultLanguage ?? ''),
          isRehearsal: dryRun,
        },
        change,
      );
      if (stored === 'attachment refused')
        throw new Conflict(
          'attachmentIds: names an attachment that is not in the conversation or was already sent',
        );
      if (dryRun) await change.record();
      const results = stored.values();
      return given.map((one, index): ImportedConversation => {
        const result = isKept(one) ? results.next().value : undefined;
        return { externalId: conversations[index]?.externalId ?? '', ...(result ?? expired()) };
      });
    },
  };
}

const expired = (): Omit<ImportedConversation, 'externalId'> => ({
  ...{ conversationId: null, outcome: 'expired' },
  ...{ turns: 0, notes: 0, full: 0, waitingFor: [] },
});

/** Two imports of a conversation get the same id, so that the second one finds the first. */
const idOf = (projectId: string, source: ImportedFrom, externalId: string) =>
  `cnv_${hash('sha256', [projectId, source, externalId].join('\0')).slice(0, 32)}`;

/** Times that are past the clock of this server become its time, so that no conversation stays at the top. */
function newImport(
  { turns, notes, createdAt, snooze, externalId: _, ...conversation }: ConversationToImport,
  id: string,
  now: Date,
): NewImport {
  const timeOf = (given: string) => new Date(Math.min(Date.parse(given), now.getTime()));
  const openedAt = timeOf(createdAt);
  const withTimes = turns.map(({ createdAt: at, authorName = null, ...turn }) => ({
    ...turn,
    id: newId('trn'),
    authorName,
    createdAt: timeOf(at),
  }));
  return {
    ...conversation,
    id,
    subject: conversation.subject ?? null,
    email: conversation.email ?? null,
    snooze: snooze?.until != null && Date.parse(snooze.until) <= now.getTime() ? null : snooze,
    createdAt: openedAt,
    lastTurnAt: new Date(Math.max(openedAt.getTime(), ...withTimes.map((turn) => turn.createdAt.getTime()))),
    turns: withTimes,
    notes: notes.map(({ createdAt: at, authorName = null, ...note }) => ({
      ...note,
      id: newId('note'),
      authorName,
      createdAt: timeOf(at),
    })),
  };
}
