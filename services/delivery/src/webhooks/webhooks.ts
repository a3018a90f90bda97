import {
  MAX_WATCHED_COHORTS,
  MAX_WEBHOOKS,
  type Webhook,
  type WebhookDefinition,
  webhookDefinition,
} from '@switchboard/contracts';
import { type AuditedChange, Conflict, NotFound, requireSendable } from '@switchboard/http';
import { type Clock, type Encryption, type Logger, reencryptAll } from '@switchboard/runtime';
import type { CohortState, CohortsStore } from '../cohorts/store.ts';
import type { DeliveryConfig } from '../config.ts';
import { contextOf, encryptSecret, newSecret, OVERLAP_MS, urlOf } from './secrets.ts';
import type { ListedWebhook, WebhooksStore } from './store.ts';

interface WebhooksOptions {
  store: WebhooksStore;
  cohorts: Pick<CohortsStore, 'states'>;
  encryption: Encryption;
  config: Pick<DeliveryConfig, 'WEBHOOK_PRIVATE_NETWORKS'>;
  clock: Clock;
}

export type Webhooks = ReturnType<typeof createWebhooks>;

/** Manages the webhooks of projects and their secrets. */
export function createWebhooks({ store, cohorts, encryption, config, clock }: WebhooksOptions) {
  async function get(projectId: string, id: string): Promise<Webhook> {
    const row = await store.get(projectId, id);
    if (row === undefined) throw new NotFound('Webhook not found.');
    return present(row, await cohorts.states(projectId));
  }

  async function present(row: ListedWebhook, states: readonly CohortState[]): Promise<Webhook> {
    return presented(row, await urlOf(encryption, row), states);
  }

  return {
    get,

    async list(projectId: string): Promise<Webhook[]> {
      const states = await cohorts.states(projectId);
      return Promise.all((await store.list(projectId)).map((row) => present(row, states)));
    },

    /** Creates or replaces a webhook. Returns the secret of a new one. */
    async put(change: AuditedChange, projectId: string, id: string, definition: WebhookDefinition) {
      requireSendable(definition.url, 'url', config.WEBHOOK_PRIVATE_NETWORKS);
      const secret = newSecret();
      const encrypt = (text: string) => encryptSecret(encryption, { projectId, id }, text);
      const given = {
        secret: await encrypt(secret),
        encryptedUrl: await encrypt(definition.url),
        now: clock.now(),
        max: MAX_WEBHOOKS,
        maxCohorts: MAX_WATCHED_COHORTS,
      };
      const outcome = await store.put({ projectId, id }, definition, given, change);
      if (outcome === 'full')
        throw new Conflict(`The project already has ${MAX_WEBHOOKS} webhooks; delete one of them first.`);
      if (outcome === 'manyCohorts')
        throw new Conflict(
          `The webhooks of a project can name up to ${MAX_WATCHED_COHORTS} different cohorts; name fewer.`,
        );
      return { ...(await get(projectId, id)), secret: outcome === 'created' ? secret : null };
    },

    remove: (change: AuditedChange, projectId: string, id: string) => store.remove(projectId, id, change),

    /** Replaces the secret. The previous one signs too for a day. */
    async rotate(change: AuditedChange, projectId: string, id: string) {
      const secret = newSecret();
      const encrypted = await encryptSecret(encryption, { projectId, id }, secret);
      const previousUntil = new Date(clock.now().getTime() + OVERLAP_MS);
      const isRotated = await store.rotate(projectId, id, { secret: encrypted, previousUntil }, change);
      if (!isRotated) throw new NotFound('Webhook not found.');
      return { secret, previousSecretUntil: previousUntil.toISOString() };
    },

    /** Encrypts every secret and URL with the first value of WEBHOOK_SECRET, if there are several. */
    async reencrypt(logger: Logger, signal: AbortSignal): Promise<void> {
      for (const row of await store.withoutEncryptedUrl()) {
        signal.throwIfAborted();
        await store.encryptUrl(row, await encryptSecret(encryption, row, row.url));
      }
      for (const column of ['encryptedUrl', 'secret', 'previousSecret'] as const) {
        await reencryptAll<{ projectId: string; id: string; encrypted: string; context: string }>(
          {
            encryption,
            what: 'webhook secrets',
            async page(after) {
              const rows = await store.page(after);
              return rows.map((row) => ({
                ...row,
                encrypted: row[column] ?? row.secret,
                context: contextOf(row),
              }));
            },
            replace: (row, encrypted) => store.replaceEncrypted(row, column, row.encrypted, encrypted),
            logger,
          },
          signal,
        );
      }
    },
  };
}

/** The rows hold what `webhookDefinition` accepted. */
const storedDefinition = webhookDefinition.shape;

function presented(row: ListedWebhook, url: string, states: readonly CohortState[]): Webhook {
  return {
    id: row.id,
    url,
    description: row.description,
    format: row.format,
    types: storedDefinition.types.parse(row.types),
    events: storedDefinition.events.parse(JSON.parse(row.events)),
    cohorts: row.cohorts,
    watched: row.cohorts.map((cohort) => {
      const state = states.find(({ cohortId }) => cohortId === cohort);
      const { members = null, failure = null } = state ?? {};
      return { cohort, members, comparedAt: state?.comparedAt?.toISOString() ?? null, failure };
    }),
    enabled: row.enabled,
    ordered: row.ordered,
    disabledReason:
      row.disabledReason === 'gone' || row.disabledReason === 'failing' ? row.disabledReason : null,
    failingSince: row.failingSince?.toISOString() ?? null,
    waiting: row.waiting,
    discarded: row.discarded,
    previousSecretUntil: row.previousUntil?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
