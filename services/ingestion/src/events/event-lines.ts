import { EVENT_MAX_BYTES, type EventBatch } from '@switchboard/contracts';
import { PayloadTooLarge } from '@switchboard/http';
import { exceedsBytes, serialise } from '../records/serialise.ts';

/** An event as JSON on one line, with the fields that decide where and whether it is stored. */
export interface EventLine {
  distinctId: string;
  eventId: string;
  timestamp: string;
  bytes: Buffer;
  /** Where its JSON begins and ends in the bytes. */
  start: number;
  end: number;
  /** The parts to leave out: the start and end of each, in order. */
  cuts: readonly number[];
}

/** The events of a valid batch. */
export interface EventLines {
  sentAt: string;
  lines: readonly EventLine[];
  /** The memory of all lines, if nothing else uses it. */
  body?: Buffer;
}

/** Serialises the events of a batch. Throws PayloadTooLarge if an event exceeds its limit. */
export function eventLines({ events, sent_at }: EventBatch): EventLines {
  const lines = events.map((event, i): EventLine => {
    const json = serialise(event, () => `events[${i}]`);
    if (exceedsBytes(json, EVENT_MAX_BYTES)) {
      throw new PayloadTooLarge(`events[${i}]: larger than ${EVENT_MAX_BYTES} bytes as JSON`);
    }
    const { distinct_id: distinctId, event_id: eventId, timestamp } = event;
    const bytes = Buffer.from(json);
    return { distinctId, eventId, timestamp, bytes, start: 0, end: bytes.length, cuts: NO_CUTS };
  });
  return { sentAt: sent_at, lines };
}

export const NO_CUTS: readonly number[] = [];
