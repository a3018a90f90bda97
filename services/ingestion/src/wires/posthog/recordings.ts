import { REPLAY_MAX_BYTES, replayChunk } from '@switchboard/contracts';
import { BadRequest, type ProjectAccess, type Throttle, validate } from '@switchboard/http';
import { chunkFromPostHog, type Fields, type Lose } from '@switchboard/other-products';
import type { Replay } from '../../replay/replay.ts';

interface AcceptOptions {
  /** The time of sending by the client's clock. */
  sentAt: string;
  unzip(gzip: Buffer): Promise<Buffer | undefined>;
  lose: Lose;
}

/** Publishes recordings of PostHog's SDK as chunks of our own API. */
export interface PosthogRecordings {
  /** Resolves once the event log has stored the chunks. Chunks that our API would reject are counted as lost. */
  accept(project: ProjectAccess, snapshots: readonly Fields[], options: AcceptOptions): Promise<void>;
}

interface RecordingsOptions {
  replay: Replay;
  throttle: Throttle;
}

export function createPosthogRecordings({ replay, throttle }: RecordingsOptions): PosthogRecordings {
  return {
    async accept(project, snapshots, { sentAt, unzip, lose }) {
      if (snapshots.length === 0) return;
      throttle.charge(project, snapshots.length);
      for (const snapshot of snapshots) {
        const fields = await chunkFromPostHog(snapshot, { unzip, lose });
        if (fields === undefined) continue;
        try {
          const chunk = validate(replayChunk, fields, { where: 'recording' });
          if (chunk.events.bytes.length > REPLAY_MAX_BYTES)
            throw new BadRequest(`events: larger than ${REPLAY_MAX_BYTES} bytes`);
          await replay.accept(project.id, chunk, sentAt);
        } catch (error) {
          if (!(error instanceof BadRequest)) throw error;
          lose('invalid recording', `recording: ${error.message}`);
        }
      }
    },
  };
}
