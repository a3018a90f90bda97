import { openMailer } from '@switchboard/mail';
import type { ObjectStore } from '@switchboard/object-store';
import type { AttachmentsStore } from '../attachments/store.ts';
import type { Messenger, MessengerConfig } from '../config.ts';
import { createNameAuthors, createReadTurns } from '../conversations/reading.ts';
import { createConversationsStore } from '../conversations/store.ts';
import { createMailAddresses, type MailAddresses } from '../mail/addresses.ts';
import { mailRoutes, UNSUBSCRIBE_PATH } from '../mail/routes.ts';
import { createSending } from '../mail/sending.ts';
import { createMailStore } from '../mail/store.ts';
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
  files: AttachmentsStore;
  /** The object store for background work. */
  slowStorage: ObjectStore | undefined;
}

/** Opens mail to visitors who have not read a reply. */
export function openMail(shared: Shared, { files, slowStorage }: Needs): void {
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
      readTurns: createReadTurns(createConversationsStore(db), createNameAuthors(directory)),
      mailer,
      addresses,
      from: config.MAIL_FROM,
      unsubscribeUrl: (token) => `${apiUrl(config)}${UNSUBSCRIBE_PATH}/${token}`,
      onSettled: (state) => settled.add([state]),
    }),
  );
  mailRoutes(app, {
    ...shared,
    store,
    addresses,
    limit: limits.perMinute('unsubscribe', limits.unsubscribesPerAddress),
  });
}

const apiUrl = ({ PUBLIC_API_URL }: MessengerConfig) => PUBLIC_API_URL.replace(/\/+$/, '');
