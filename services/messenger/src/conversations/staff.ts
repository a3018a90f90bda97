import type { ConversationChange } from '@switchboard/contracts';

export interface NoteRow {
  id: string;
  authorId: string | null;
  /** The name of the author of an imported note. */
  authorName: string | null;
  body: string;
  mentions: string[];
  createdAt: Date;
}

export interface HistoryRow {
  id: string;
  at: Date;
  authorId: string | null;
  change: ConversationChange;
}

export interface RatingRow {
  score: number;
  comment: string | null;
  ratedAt: Date;
  resolvedAt: Date;
}

/** Reads the data of a conversation that only staff see, besides its turns. */
export interface StaffReads {
  /** Returns the private notes, oldest first. */
  notes(conversationId: string): Promise<NoteRow[]>;
  /** Returns the latest changes, oldest first. */
  history(conversationId: string): Promise<HistoryRow[]>;
  /** Marks the turns up to one as read by the member. Returns whether it is the first teammate to read so far. */
  markRead(conversationId: string, sub: string, upTo: { position: number; at: Date }): Promise<boolean>;
}

export interface ContactRow {
  email: string;
  name: string | null;
  source: 'opening' | 'mail';
  mailedAt: Date | null;
  unsubscribedAt: Date | null;
  bouncedAt: Date | null;
  bounce: string | null;
}

/** Reads the ratings of conversations. */
export interface RatingReads {
  /** Returns the ratings, oldest first. */
  ratings(conversationId: string): Promise<RatingRow[]>;
}

/** Reads the mail addresses of conversations. */
export interface ContactReads {
  /** Returns the address of a conversation. Undefined if none is known. */
  contact(conversationId: string): Promise<ContactRow | undefined>;
}
