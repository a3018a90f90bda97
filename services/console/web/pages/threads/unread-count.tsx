import { useInbox } from './use-inbox.ts';

/** The number of unread threads. */
export function UnreadCount() {
  const { data } = useInbox();
  return data === undefined || data.unread === 0 ? null : data.unread;
}
