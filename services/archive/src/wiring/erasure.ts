import { ingestionTopics } from '@switchboard/contracts';
import { openErasures } from '@switchboard/directory';
import type { ObjectStore } from '@switchboard/object-store';
import { createPersonIds } from '@switchboard/person-ids';
import type { Archive } from '../config.ts';
import { createDeadLettersStore } from '../dead-letters/store.ts';
import { createErasure } from '../erasure/erasure.ts';
import { EVENTS_GROUP } from '../events/consumer.ts';
import { createEventErasure } from '../files/event-erasure.ts';
import { createFilesStore } from '../files/store.ts';
import { createImportsStore } from '../imports/store.ts';
import { REPLAYS_GROUP } from '../replays/consumer.ts';
import { createErasure as createReplayErasure, type Erasure as ReplayErasure } from '../replays/erasure.ts';
import { createReplaysStore } from '../replays/store.ts';
import type { ArchiveThreads } from './threads.ts';

/** Erases people from files and recordings when the directory requests it. Returns the erasure of recordings. */
export function openPersonErasure(
  service: Archive,
  { objects, merging: threads }: { objects: ObjectStore; merging: ArchiveThreads },
): ReplayErasure {
  const store = createReplaysStore(service.db);
  const replays = createReplayErasure({ ...service, store, objects });
  service.run(
    openErasures({
      ...service,
      intakes: [
        { group: EVENTS_GROUP, topics: [ingestionTopics.events] },
        { group: REPLAYS_GROUP, topics: [ingestionTopics.replays] },
      ],
      eraser(db) {
        const events = createEventErasure({ files: createFilesStore(db), objects, threads });
        const letters = createDeadLettersStore(db);
        const imports = createImportsStore(db);
        return createErasure({ store, events, replays, letters, imports, personIds: createPersonIds(db) });
      },
    }),
  );
  return replays;
}
