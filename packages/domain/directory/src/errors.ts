import { EventLogUnavailable } from '@switchboard/event-log';

/** The directory is unavailable because it is still loading or its database does not respond. */
export class DirectoryUnavailable extends EventLogUnavailable {
  override name = 'DirectoryUnavailable';
}
