import { EventLogUnavailable } from '@switchboard/event-log';

/** The directory is unavailable: it is still loading, or its database does not answer. */
export class DirectoryUnavailable extends EventLogUnavailable {
  override name = 'DirectoryUnavailable';
}
