import type { ProjectOfRegion } from '@switchboard/http';
import type { ObjectStore } from '@switchboard/object-store';
import type { PersonIds } from '@switchboard/person-ids';
import type { Hub } from '@switchboard/realtime';
import type { Messenger } from '../config.ts';
import type { Publisher } from '../publishing/publisher.ts';
import type { OpenedLimits } from './limits.ts';

/** The parts that several features use. */
export interface Shared extends Messenger {
  hub: Hub;
  publisher: Publisher;
  limits: OpenedLimits;
  ofProject: ProjectOfRegion;
  personIds: PersonIds;
  /** The object store for requests. */
  storage: ObjectStore | undefined;
}
