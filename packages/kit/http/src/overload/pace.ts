import { type Member, Members } from '@switchboard/engine';
import { TooSlow } from '../exchange/errors.ts';

/** The minimum number of bytes of a body in every window, which is 1 KiB per second. */
const MIN_BYTES = 10_240;
const WINDOW_MS = 10_000;
const CHECK_MS = 5_000;

/** A body that is being read. */
export interface Reading extends Member {
  /** The number of bytes so far, counted by the reader. */
  received: number;
  /** The start of the current window, and the bytes received before it. */
  windowStart: number;
  receivedBefore: number;
  fail(error: TooSlow): void;
}

/** Fails bodies that stall or arrive too slowly, within 15 s. */
export interface Pace {
  begin(fail: (error: TooSlow) => void): Reading;
  end(reading: Reading): void;
}

/** Creates a pace with one timer for all bodies, since a timer each would cost more than reading a small body. */
export function createPace(): Pace {
  const readings = new Members<Reading>();
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    if (readings.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const now = performance.now();
    for (const reading of readings) {
      if (now - reading.windowStart < WINDOW_MS) continue;
      if (reading.received - reading.receivedBefore < MIN_BYTES) {
        reading.fail(
          new TooSlow(
            `body: fewer than ${MIN_BYTES} bytes received in ${WINDOW_MS / 1000} s. Send it again.`,
          ),
        );
      } else {
        reading.windowStart = now;
        reading.receivedBefore = reading.received;
      }
    }
  }

  return {
    begin(fail) {
      timer ??= setInterval(check, CHECK_MS).unref();
      const reading = { received: 0, windowStart: performance.now(), receivedBefore: 0, fail, place: -1 };
      readings.add(reading);
      return reading;
    },
    end: (reading) => readings.delete(reading),
  };
}
