import {
  type ConversationChange,
  type ConversationNote,
  type ConversationSummary,
  MAIL_AFTER_MINUTES,
  type SupportSettings,
  type SupportSettingsDefinition,
} from '@switchboard/contracts';
import { newId } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import { type AuditedChange, BadRequest, Conflict, type RateLimit } from '@switchboard/http';
import type { Clock } from '@switchboard/runtime';
import type { SearchConfigurationOf } from '../conversations/languages.ts';
import type { ListStore } from '../conversations/list/store.ts';
import { assigneeOf, notFound } from '../conversations/operator.ts';
import { presentNote, presentSummary } from '../conversations/present.ts';
import { type MailAddresses, newMailKey } from '../mail/addresses.ts';
import type { Publisher } from '../publishing/publisher.ts';
import { avatarPath } from '../team/avatar-path.ts';
import { excerptOf } from './excerpt.ts';
import type { SearchQueue } from './search-queue.ts';
import type { CountFilter, StoredSettings, SupportStore } from './store.ts';

interface SupportOptions {
  store: SupportStore;
  conversations: Pick<ListStore, 'page'>;
  directory: Pick<Directory, 'project' | 'members'>;
  publisher: Publisher;
  searchConfigurationOf: SearchConfigurationOf;
  /** Undefined if the deployment has no support mail. */
  mailAddresses: Pick<MailAddresses, 'ofProject'> | undefined;
  limits: {
    /** Limits the searches of a member. */
    searches: RateLimit;
    /** Limits the presence of a member. */
    presence: RateLimit;
  };
  searches: SearchQueue;
  clock: Clock;
}

/** A member, and the project that they work in. */
interface Caller {
  projectId: string;
  sub: string;
}

interface NoteRequest {
  body: string;
  mentions: readonly string[];
}

const NEVER_CHANGED: StoredSettings = {
  version: 0,
  teams: [],
  labels: [],
  savedReplies: [],
  views: [],
  keepAssigneeDays: null,
  mailAfterMinutes: MAIL_AFTER_MINUTES,
  mailKey: null,
  asksSatisfaction: false,
};
const MAX_MENTIONED = 1_000;

export type Support = ReturnType<typeof createSupport>;

/** Handles what agents do with conversations besides replying. Visitors see nothing of it but statuses. */
export function createSupport(options: SupportOptions) {
  const { store, conversations, directory, publisher, searchConfigurationOf, limits, clock } = options;
  const { mailAddresses } = options;

  const settingsOf = async (projectId: string) => (await store.settings(projectId)) ?? NEVER_CHANGED;

  async function requireMembers(projectId: string, subs: readonly string[], field: string): Promise<void> {
    if (subs.length === 0) return;
    const project = await directory.project(projectId);
    const members = project === undefined ? [] : await directory.members(project.companyId, subs);
    const unknown = subs.find((sub) => !members.some((member) => member.sub === sub));
    if (unknown !== undefined) throw new BadRequest(`${field}: ${unknown} is not a member of the company`);
  }

  async function summaries(caller: Caller, ids: readonly string[]): Promise<ConversationSummary[]> {
    const rows = await conversations.page({ ...caller, ids, after: undefined, size: ids.length });
    return rows.map(presentSummary);
  }

  async function changeAll(
    audited: AuditedChange,
    { projectId, sub }: Caller,
    ids: readonly string[],
    change: ConversationChange,
  ): Promise<string[]> {
    const { labels, teams } = await settingsOf(projectId);
    const { assigneeId, teamId, addLabelIds = [], status, snooze } = change;
    await requireMembers(projectId, assigneeId == null ? [] : [assigneeId], 'assigneeId');
    if (teamId != null) requireKnown(teams, [teamId], 'teamId');
    requireKnown(labels, addLabelIds, 'addLabelIds');
    if (status === 'resolved' && snooze != null) {
      throw new BadRequest('snooze: a resolved conversation cannot be snoozed');
    }
    const changed = await store.change(
      {
        projectId,
        ids: [...new Set(ids)],
        change,
        authorId: sub,
        at: clock.now(),
        knownLabelIds: labels.map(({ id }) => id),
      },
      audited,
    );
    if (changed === undefined) throw new Conflict('addLabelIds: a conversation has at most 20 labels.');
    for (const { id, statusBefore } of changed) {
      if (status !== undefined && status !== statusBefore) publisher.publishStatus(id, status);
      publisher.publishToAgents(projectId, { kind: 'changed', conversationId: id });
    }
    return changed.map(({ id }) => id);
  }

  const present = ({ mailKey, ...settings }: StoredSettings): SupportSettings => ({
    ...settings,
    mailOpensConversations: mailKey !== null,
    mailAddress: mailKey === null ? null : (mailAddresses?.ofProject(mailKey) ?? null),
  });

  return {
    settings: async (projectId: string) => present(await settingsOf(projectId)),

    async putSettings(
      audited: AuditedChange,
      projectId: string,
      definition: SupportSettingsDefinition,
    ): Promise<SupportSettings> {
      const before = await settingsOf(projectId);
      const settings: StoredSettings = {
        version: definition.version + 1,
        teams: identified(definition.teams, 'team', 'teams'),
        labels: identified(definition.labels, 'lbl', 'labels'),
        savedReplies: identified(definition.savedReplies, 'rpl', 'savedReplies'),
        views: identified(definition.views, 'view', 'views'),
        keepAssigneeDays: definition.keepAssigneeDays,
        mailAfterMinutes: definition.mailAfterMinutes,
        mailKey: definition.mailOpensConversations ? (before.mailKey ?? newMailKey()) : null,
        asksSatisfaction: definition.asksSatisfaction,
      };
      audited.describe({ before: namesOf(before), after: namesOf(settings) });
      if (
        before.version !== definition.version ||
        !(await store.putSettings(projectId, settings, definition.version, audited))
      ) {
        const { version } = await settingsOf(projectId);
        throw new Conflict(`version: ${version} is stored. Read the settings again.`);
      }
      publisher.publishToAgents(projectId, { kind: 'settings' });
      return present(settings);
    },

    async counts({ projectId, sub }: Caller) {
      const { views } = await settingsOf(projectId);
      const open = { status: 'open', snoozed: false } as const;
      const counted = views.filter(
        ({ filter }) => filter.status !== 'resolved' && filter.satisfaction === undefined,
      );
      const filters: CountFilter[] = [
        open,
        { status: 'pending', snoozed: false },
        { snoozed: true },
        { ...open, assigneeId: sub },
        { ...open, assigneeId: null },
        ...counted.map(({ filter: { assigned, assigneeId, ...filter } }) => ({
          ...filter,
          assigneeId: assigneeOf(assigned, assigneeId, sub),
        })),
      ];
      const [[opened = 0, pending = 0, snoozed = 0, mine = 0, unassigned = 0, ...ofViews], mentioned] =
        await Promise.all([
          store.counts(projectId, filters),
          store.countMentions(projectId, sub, MAX_MENTIONED),
        ]);
      const byView = new Map(counted.map(({ id }, index) => [id, ofViews[index] ?? 0]));
      return {
        open: opened,
        pending,
        snoozed,
        mine,
        unassigned,
        mentioned,
        views: views.map(({ id }) => ({ id, count: byView.get(id) ?? null })),
      };
    },

    /** Changes conversations. Returns those that exist. */
    async change(
      audited: AuditedChange,
      caller: Caller,
      ids: readonly string[],
      change: ConversationChange,
    ): Promise<ConversationSummary[]> {
      const [id] = ids;
      audited.describe({
        after: { conversationIds: [...ids], change },
        ...(ids.length === 1 && { object: `conversation:${id}` }),
      });
      return summaries(caller, await changeAll(audited, caller, ids, change));
    },

    /** Sets the status of one conversation. Throws NotFound if it does not exist. */
    async setStatus(
      audited: AuditedChange,
      caller: Caller,
      id: string,
      status: 'open' | 'pending' | 'resolved',
    ): Promise<void> {
      if (!(await store.exists(caller.projectId, id))) throw notFound();
      const changed = await changeAll(audited, caller, [id], { status });
      if (changed.length === 0) throw notFound();
    },

    async addNote(
      audited: AuditedChange,
      { projectId, sub }: Caller,
      conversationId: string,
      { body, mentions }: NoteRequest,
      idempotencyKey: string | undefined,
    ): Promise<ConversationNote> {
      const mentioned = [...new Set(mentions)];
      await requireMembers(projectId, mentioned, 'mentions');
      const note = {
        id: newId('note'),
        projectId,
        conversationId,
        authorId: sub,
        authorName: null,
        body,
        mentions: mentioned,
        createdAt: clock.now(),
        idempotencyKey: idempotencyKey ?? null,
      };
      const stored = await store.addNote(note, audited);
      if (stored === 'no conversation') throw notFound();
      if (stored === 'full') throw new Conflict('The conversation has 200 notes, which is the limit.');
      const { id, authorId, authorName, createdAt } = stored;
      const presented = presentNote({
        ...{ id, authorId, authorName, createdAt },
        body: stored.body,
        mentions: stored.mentions,
      });
      publisher.publishToAgents(projectId, { kind: 'note', conversationId, note: presented });
      return presented;
    },

    /** Tells other agents, and a visitor while a reply is typed. */
    async showPresence(
      { projectId, sub }: Caller,
      conversationId: string,
      state: 'viewing' | 'typing' | 'gone',
    ): Promise<void> {
      await limits.presence.consume(`${projectId}:${sub}`);
      if (!(await store.exists(projectId, conversationId))) throw notFound();
      const project = await directory.project(projectId);
      const [member] = project === undefined ? [] : await directory.members(project.companyId, [sub]);
      const name = member?.name ?? null;
      publisher.publishToAgents(projectId, { kind: 'presence', conversationId, sub, name, state });
      if (state !== 'typing') return;
      const shown = await store.teammate(projectId, sub);
      publisher.publishTyping(conversationId, {
        authorName: shown?.name ?? null,
        authorAvatarUrl: shown?.avatarFile == null ? null : avatarPath(sub, shown.avatarFile),
      });
    },

    async search(caller: Caller, text: string) {
      await limits.searches.consume(`${caller.projectId}:${caller.sub}`);
      const { projectId } = caller;
      const configuration = await searchConfigurationOf(projectId);
      const found = await options.searches(projectId, () =>
        store.search({ projectId, configuration, text, now: clock.now() }),
      );
      const ids = [...new Set(found.map(({ conversationId }) => conversationId))];
      const byId = new Map((await summaries(caller, ids)).map((summary) => [summary.id, summary]));
      return found.flatMap(({ conversationId, turnId, authorKind, createdAt, body }) => {
        const conversation = byId.get(conversationId);
        // Removed since.
        if (conversation === undefined) return [];
        const excerpt = excerptOf(body, text);
        return [{ conversation, turnId, authorKind, createdAt: createdAt.toISOString(), excerpt }];
      });
    },
  };
}

/** Returns what the audit trail keeps of the settings. The replies can be megabytes. */
const namesOf = ({
  teams,
  labels,
  savedReplies,
  views,
  keepAssigneeDays,
  mailAfterMinutes,
  mailKey,
  asksSatisfaction,
}: StoredSettings) => ({
  teams: teams.map(({ name }) => name),
  labels: labels.map(({ name }) => name),
  savedReplies: savedReplies.map(({ name }) => name),
  views: views.map(({ name }) => name),
  keepAssigneeDays,
  mailAfterMinutes,
  mailOpensConversations: mailKey !== null,
  asksSatisfaction,
});

interface Identified {
  id: string;
}

function requireKnown(known: readonly Identified[], ids: readonly string[], field: string): void {
  const unknown = ids.find((id) => !known.some((one) => one.id === id));
  if (unknown !== undefined) throw new BadRequest(`${field}: ${unknown} is not in the settings of support`);
}

/**
 * Gives entries without an id one that was never used, so that a deleted label does not come back with another meaning.
 * Throws BadRequest if an id is used twice.
 */
function identified<E extends { id?: string | undefined }>(
  entries: readonly E[],
  prefix: string,
  field: string,
): (E & Identified)[] {
  const seen = new Set<string>();
  return entries.map((entry, index) => {
    const id = entry.id ?? newId(prefix);
    if (seen.has(id)) throw new BadRequest(`${field}[${index}].id: used twice`);
    seen.add(id);
    return { ...entry, id };
  });
}
