import { createHash } from 'node:crypto';
import { ATTACHMENT_MAX_BYTES, attachmentType, type MessengerSettings } from '@switchboard/contracts';
import { isUnavailable } from '@switchboard/database';
import type { Directory } from '@switchboard/directory';
import {
  type AuditedChange,
  BadRequest,
  etagOf,
  NotFound,
  PreconditionFailed,
  type Prepared,
  prepareJson,
} from '@switchboard/http';
import { createCache } from '@switchboard/resilience';
import { parseAvatarPath } from '../team/avatar-path.ts';
import type { Team } from '../team/team.ts';
import { sanitisePrompt } from './sanitise.ts';
import type { ConfigurationStore } from './store.ts';
import { languagesFor, resolveTexts, type TextsByLanguage, textsByLanguage } from './texts.ts';

/** The maximum memory of cached configurations and answers, in bytes. */
const CACHE_BYTES = 67_108_864;
/** The maximum number of answers of one configuration. */
const MAX_ANSWERS = 200;

/** Parsed settings take 1.2 to 2.2 bytes per character of their JSON (measured with Node 24). */
const PARSED_BYTES_PER_CHARACTER = 3;
/** The memory of an answer's map entry, ETag and version. */
const ANSWER_BYTES = 300;

/** A serialised answer with its version. */
export interface Answer extends Prepared {
  version: string;
}

interface Configured {
  settings: MessengerSettings;
  texts: TextsByLanguage;
  /** The size of settings and answers in memory. */
  bytes: number;
  /** Answers by language and by whether attachments are accepted. */
  answers: Map<string, Answer>;
}

interface ConfigurationOptions {
  store: ConfigurationStore;
  team: Pick<Team, 'knownAvatars'>;
  directory: Pick<Directory, 'project' | 'entitlements'>;
  /** The URL of the realtime socket. */
  socketUrl: string;
}

export type Configurations = ReturnType<typeof createConfigurations>;

const OFF: Answer = { ...prepareJson({ enabled: false }), version: 'off' };

/** Manages the messenger's configuration: as stored for operators, and as resolved for visitors. */
export function createConfigurations({ store, team, directory, socketUrl }: ConfigurationOptions) {
  const cache = createCache<Configured | typeof OFF>({
    async load(projectId) {
      const settings = await store.find(projectId);
      return settings?.enabled ? configured(settings) : OFF;
    },
    isUnavailable,
    maxBytes: CACHE_BYTES,
    sizeOf: (value) => ('settings' in value ? value.bytes : 0),
  });

  function prepare({ settings, texts }: Configured, languages: string[], acceptsFiles: boolean): Answer {
    const { texts: _texts, team: people, ...appearance } = settings;
    const content = {
      ...appearance,
      enabled: true,
      ...resolveTexts(languages, texts),
      team: people,
      socketUrl,
      attachments: { enabled: acceptsFiles, maxBytes: ATTACHMENT_MAX_BYTES, accept: attachmentType.options },
    };
    const version = createHash('sha256').update(JSON.stringify(content)).digest('base64url').slice(0, 22);
    return { ...prepareJson({ ...content, version }), version };
  }

  return {
    /** The number of look-ups of a project's configuration so far, by whether it was cached. */
    reads: cache.reads,

    /** Returns the answer to a visitor with this locale. */
    async answer(projectId: string, companyId: string, locale: string | undefined): Promise<Answer> {
      const found = await cache.get(projectId);
      if (!('settings' in found)) return OFF;
      const [project, { visitorAttachments = true }] = await Promise.all([
        directory.project(projectId),
        directory.entitlements(companyId),
      ]);
      const languages = languagesFor(locale, project?.defaultLanguage ?? 'en', found.texts);
      const acceptsFiles = visitorAttachments === true;
      const variant = `${acceptsFiles} ${languages.join()}`;
      const known = found.answers.get(variant);
      if (known !== undefined) return known;
      const answer = prepare(found, languages, acceptsFiles);
      keepAnswer(found, variant, answer);
      cache.resized(projectId);
      return answer;
    },

    async find(projectId: string): Promise<MessengerSettings> {
      const settings = await store.find(projectId);
      if (settings === undefined) throw new NotFound('Messenger configuration not found.');
      return settings;
    },

    /** Throws PreconditionFailed unless the stored configuration has the ETag `ifMatch`, if that is given. */
    async put(
      change: AuditedChange,
      projectId: string,
      given: MessengerSettings,
      ifMatch?: string,
    ): Promise<MessengerSettings> {
      await requireAvatars(projectId, given);
      const texts = Object.entries(given.texts).map(([language, of]) => [
        language,
        of.starterPrompts === undefined
          ? of
          : {
              ...of,
              starterPrompts: of.starterPrompts.map(({ html, text }) => ({
                html: sanitisePrompt(html),
                text,
              })),
            },
      ]);
      const settings = { ...given, texts: Object.fromEntries(texts) };
      const check = (stored: MessengerSettings | undefined) => requireVersion(stored, ifMatch);
      await store.put(projectId, settings, check, change);
      cache.invalidate(projectId);
      return settings;
    },

    /** Whether answers for this project include every change that this instance has received. */
    isCurrent: cache.isFresh,
    /** Invalidates the configuration of a project that changed. */
    invalidate: cache.invalidate,
    /** Invalidates all configurations, because changes may have been missed. */
    invalidateAll: cache.invalidateAll,
  };

  /** Requires that every avatarUrl is a path returned by an avatar upload of this project. */
  async function requireAvatars(projectId: string, { team: people }: MessengerSettings): Promise<void> {
    const wanted = people.map(({ avatarUrl }) => (avatarUrl == null ? null : parseAvatarPath(avatarUrl)));
    const files = wanted.flatMap((avatar) => (avatar == null ? [] : [avatar.file]));
    const known = await team.knownAvatars(projectId, files);
    for (const [index, avatar] of wanted.entries()) {
      if (avatar === null) continue;
      const isKnown = known.some(({ userId, file }) => userId === avatar?.userId && file === avatar.file);
      if (!isKnown) {
        throw new BadRequest(
          `team[${index}].avatarUrl: not a path returned by an avatar upload of this project`,
        );
      }
    }
  }
}

/** Returns the ETag of a stored configuration. */
export const versionOf = (settings: MessengerSettings): string => etagOf(JSON.stringify(settings));

function requireVersion(stored: MessengerSettings | undefined, ifMatch: string | undefined): void {
  if (ifMatch === undefined || (stored !== undefined && versionOf(stored) === ifMatch)) return;
  throw new PreconditionFailed(
    'If-Match: the messenger configuration was changed since you read it. Read it again and repeat your change.',
  );
}

function configured(settings: MessengerSettings): Configured {
  const bytes = JSON.stringify(settings).length * PARSED_BYTES_PER_CHARACTER;
  return { settings, texts: textsByLanguage(settings.texts), bytes, answers: new Map() };
}

function keepAnswer(configured: Configured, variant: string, answer: Answer): void {
  const { answers } = configured;
  if (answers.size >= MAX_ANSWERS) {
    for (const [key, { body }] of answers) configured.bytes -= heldBytes(key, body);
    answers.clear();
  }
  answers.set(variant, answer);
  configured.bytes += heldBytes(variant, answer.body);
}

/** Strings with characters beyond Latin-1 take two bytes per character. */
const heldBytes = (variant: string, body: string) => ANSWER_BYTES + 2 * (variant.length + body.length);
