import type { Facts } from './facts.ts';

/** Identifies a chunk. */
export interface ChunkName {
  projectId: string;
  sessionId: string;
  seq: number;
  /** The first 32 hex digits of the SHA-256 of its bytes as published. */
  hash: string;
}

export type SessionName = Pick<ChunkName, 'projectId' | 'sessionId'>;

/** The metadata of a chunk in the manifest. */
export interface ChunkMetadata extends ChunkName {
  distinctId: string;
  masked: boolean;
  /** The number of events. */
  events: number;
  facts: Facts;
  /**
   * The first time of its events, corrected like those of events. The time of the chunk if no event has a valid time.
   */
  firstAt: Date;
  lastAt: Date;
  receivedAt: Date;
  /** The size of its JSON. */
  bytes: number;
  /** The log offset of the record that completed it. */
  offset: bigint;
}

export interface Chunk {
  metadata: ChunkMetadata;
  /** JSON of a ReplayRecord with `events` as its last property. */
  json: Buffer;
}

/** Precedes the events in a chunk's JSON. It occurs once: quotes inside texts are escaped. */
export const EVENTS_MARKER = '"events":[';
