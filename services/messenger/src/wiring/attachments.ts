import type { ObjectStore } from '@switchboard/object-store';
import { createAttachments } from '../attachments/attachments.ts';
import { attachmentsRoutes } from '../attachments/routes.ts';
import { createAttachmentsStore } from '../attachments/store.ts';
import { createSweep } from '../attachments/sweep.ts';
import type { ConversationTokens } from '../conversations/tokens/tokens.ts';
import { createSupportStore } from '../support/store.ts';
import { openMail } from './mail.ts';
import type { Shared } from './shared.ts';

interface Needs {
  tokens: ConversationTokens;
  /** The object store for background work. */
  slowStorage: ObjectStore | undefined;
}

/** Opens attachments of conversations, removes those that were never sent, and opens mail, which contains files. */
export function openAttachments(shared: Shared, { tokens, slowStorage }: Needs): void {
  const { app, db, limits, run } = shared;
  const { inMinute, limit, perMinute } = limits;
  const store = createAttachmentsStore(db);
  const attachments = createAttachments({
    ...shared,
    store,
    limits: {
      uploads: limit(
        inMinute('uploads-address', limits.uploadsPerAddress),
        inMinute('uploads-minute', limits.uploadsPerConversation),
        { name: 'uploads-hour', points: limits.uploadsPerConversationPerHour, durationSeconds: 3600 },
      ),
      downloadsPerAddress: perMinute('downloads-address', limits.downloadsPerAddress),
    },
  });
  const { exists } = createSupportStore(db);
  attachmentsRoutes(app, { ...shared, attachments, tokens, bodies: app.bodies, exists });
  if (slowStorage !== undefined) run(createSweep({ ...shared, store, storage: slowStorage }));
  openMail(shared, { attachments, files: store, slowStorage });
}
