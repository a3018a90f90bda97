import type { ConversationToImport } from '@switchboard/contracts';
import type { Fields } from '@switchboard/other-products';

export type AuthorKind = ConversationToImport['turns'][number]['authorKind'];

/** A file of a turn, by its address in the other product. */
export interface SourceFile {
  name: string;
  url: string;
}

/** A turn or a note. Its text is not cut to a size. */
export interface SourceText {
  id: string;
  authorName: string | null;
  text: string;
  createdAt: string;
  files: SourceFile[];
}

export interface SourceTurn extends SourceText {
  authorKind: AuthorKind;
}

/** A conversation of another product. */
export interface SourceConversation {
  /** Where it was read, for messages. */
  place: string;
  id: string;
  distinctId: string;
  /** Traits of the person, and the time from which they are. */
  traits: Fields;
  traitsAt: string;
  email: string | null;
  subject: string | null;
  status: ConversationToImport['status'];
  snooze: ConversationToImport['snooze'];
  priority: ConversationToImport['priority'];
  labels: string[];
  createdAt: string;
  turns: SourceTurn[];
  notes: SourceText[];
}

/** Counts a part that is not kept. */
export type LoseAt = (what: string, place: string) => void;

/** Collects the records of files, since the parts of a conversation are in several answers of an API. */
export interface Collector {
  /** Takes a record. Throws Refused. */
  add(record: Fields, place: string): void;
  /** Returns the conversations, in the order in which they were read. */
  conversations(refuse: LoseAt): SourceConversation[];
}

/** A product that conversations are imported from. */
export type ConversationSource = (lose: LoseAt) => Collector;
