export type Kind = 'event' | 'identify' | 'group';

/** An event or call that waits to be sent. */
export interface Item {
  kind: Kind;
  id: string;
  /** The JSON of the event or call. */
  body: string;
  /** When it was queued, in milliseconds. */
  at: number;
}
