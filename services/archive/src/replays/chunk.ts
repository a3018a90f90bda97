/** Identifies a chunk. */
export interface ChunkName {
  projectId: string;
  sessionId: string;
  seq: number;
  /** The first 32 hex digits of the SHA-256 of its bytes as published. */
  hash: string;
}

export type SessionName = Pick<ChunkName, 'projectId' | 'sessionId'>;

/** What the manifest keeps of a chunk. */
export interface ChunkMetadata extends ChunkName {
  distinctId: string;
  masked: boolean;
  /** Number of events. */
  events: number;
  /** Of its events, corrected as those of events are; that of the chunk where no event has a valid time. */
  firstAt: Date;
  lastAt: Date;
  receivedAt: Date;
  /** Of its JSON. */
  bytes: number;
  /** Log offset of the record that completed it. */
  offset: bigint;
}

export interface Chunk {
  metadata: ChunkMetadata;
  /** JSON of a ReplayRecord whose last property is `events`. */
  json: Buffer;
}

/** Precedes the events in a chunk's JSON. It occurs once: quotes inside texts are escaped. */
export const EVENTS_MARKER = '"events":[';
