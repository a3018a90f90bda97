import { openMailer } from '@switchboard/mail';
import type { ObjectStore } from '@switchboard/object-store';
import { createDigests } from '../agents/digests.ts';
import { createAgentsStore } from '../agents/store.ts';
import type { Attachments } from '../attachments/attachments.ts';
import type { AttachmentsStore } from '../attachments/store.ts';
import type { Messenger, MessengerConfig } from '../config.ts';
import { createSearchConfigurationOf } from '../conversations/languages.ts';
import { createConversationsStore } from '../conversations/store.ts';
import { createNameAuthors, createReadTurns } from '../conversations/turns/reading.ts';
import { createTurnsStore } from '../conversations/turns/store.ts';
import { createMailAddresses, type MailAddresses } from '../mail/addresses.ts';
import { createMailListener, MAIL_LIMITS } from '../mail/listener.ts';
import { createReceiving } from '../mail/receiving.ts';
import { mailRoutes, UNSUBSCRIBE_PATH } from '../mail/routes.ts';
import { createSending } from '../mail/sending.ts';
import { createMailStore, type MailStore } from '../mail/store.ts';
import type { Shared } from './shared.ts';

/** Opens the signed addresses of conversations. Undefined if the deployment has no support mail. */
export function openMailAddresses({
  config,
  clock,
}: Pick<Messenger, 'config' | 'clock'>): MailAddresses | undefined {
  const { SUPPORT_MAIL_DOMAIN: domain, IDENTITY_SECRET: secrets } = config;
  return domain === undefined ? undefined : createMailAddresses({ domain, secrets, clock });
}

interface Needs {
  attachments: Attachments;
  files: AttachmentsStore;
  /** The object store for background work. */
  slowStorage: ObjectStore | undefined;
}

/** Opens mail to visitors who have not read a reply. */
export function openMail(shared: Shared, { attachments, files, slowStorage }: Needs): void {
  const { add, app, config, database, db, directory, limits, metrics } = shared;
  const addresses = openMailAddresses(shared);
  if (addresses === undefined) return;
  const store = createMailStore(db);
  const mailer = openMailer(config, metrics);
  add(mailer, { stop: mailer.close });
  const settled = metrics.counterBy(
    'switchboard_support_mails_total',
    'Mails of replies to visitors that were sent, became unnecessary because the visitor had read them, or failed.',
    ['state'],
  );
  metrics.gaugeBy(
    'switchboard_support_mails_waiting',
    'Conversations with replies that will be mailed unless the visitor reads them.',
    [],
    async () => [{ labels: {}, value: await store.waiting() }],
  );
  add(
    createSending({
      ...shared,
      database,
      store,
      files,
      storage: slowStorage,
      readTurns: createReadTurns(createTurnsStore(db), createNameAuthors(directory)),
      mailer,
      addresses,
      from: config.MAIL_FROM,
      unsubscribeUrl: (token) => `${apiUrl(config)}${UNSUBSCRIBE_PATH}/${token}`,
      onSettled: (state) => settled.add([state]),
    }),
  );
  const digests = metrics.counterBy(
    'switchboard_inbox_digests_total',
    'Digests of waiting conversations to members that were sent or failed permanently.',
    ['state'],
  );
  add(
    createDigests({
      ...shared,
      store: createAgentsStore(db),
      mailer,
      addresses,
      consoleUrl: config.CONSOLE_URL,
      onSettled: (state) => digests.add([state]),
    }),
  );
  const { SUPPORT_MAIL_PORT: port } = config;
  if (port !== undefined) openListener(shared, port, { attachments, store, addresses });
  mailRoutes(app, {
    ...shared,
    store,
    addresses,
    limit: limits.perMinute('unsubscribe', limits.unsubscribesPerAddress),
  });
}

/** Opens the listener for mail of visitors. */
function openListener(
  shared: Shared,
  port: number,
  { attachments, store, addresses }: { attachments: Attachments; store: MailStore; addresses: MailAddresses },
): void {
  const { add, audit, config, database, db, directory, limits, logger, metrics } = shared;
  const received = metrics.counterBy(
    'switchboard_support_mails_received_total',
    'Mails from visitors and members by what became of them: a turn, a reply, a conversation, a bounce, or one that was left out, refused or deferred.',
    ['outcome'],
  );
  const receiving = createReceiving({
    ...shared,
    store,
    conversations: createConversationsStore(database.prepared),
    turns: createTurnsStore(database.prepared),
    attachments,
    agents: createAgentsStore(db),
    audited: ({ id, projectId, conversationId }, companyId) => ({
      transaction: (work) =>
        db.transaction(async (tx) => {
          const result = await work(tx);
          await audit.scheduled(tx, {
            scheduledBy: id,
            action: 'replyByMail',
            object: `conversation:${conversationId}`,
            outcome: 'allowed',
            companyId,
            projectId,
          });
          return result;
        }),
    }),
    addresses,
    searchConfigurationOf: createSearchConfigurationOf(directory),
    limits: {
      turns: limits.limit({
        name: 'mails-conversation',
        points: limits.mailsPerConversationPerHour,
        durationSeconds: 3600,
      }),
      opens: limits.limit(
        { name: 'mails-sender', points: limits.mailOpensPerSenderPerHour, durationSeconds: 3600 },
        limits.inMinute('mails-project', limits.mailOpensPerProject),
      ),
    },
  });
  add(
    createMailListener({
      receiving,
      host: config.HOST,
      port,
      domain: config.SUPPORT_MAIL_DOMAIN ?? '',
      limits: {
        ...MAIL_LIMITS,
        bytesPerSecondOfProject: limits.mailBytesPerProjectPerSecond,
        bytesPerSecondOfSender: limits.mailBytesPerSenderPerSecond,
      },
      onReceived: (outcome) => received.add([outcome]),
      logger,
    }),
  );
}

const apiUrl = ({ PUBLIC_API_URL }: MessengerConfig) => PUBLIC_API_URL.replace(/\/+$/, '');
