import { EventLogUnavailable } from '@switchboard/event-log';

/** The directory cannot be looked up now: it has not been loaded yet, or its database does not answer. */
export class DirectoryUnavailable extends EventLogUnavailable {
  override name = 'DirectoryUnavailable';
}
