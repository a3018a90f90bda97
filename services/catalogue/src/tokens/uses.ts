import { parseTokenUse, TOKEN_USES_TOPIC, type TokenUse, tokenUsesSpec } from '@switchboard/directory';
import {
  type BackgroundConsumer,
  type Consumption,
  createConsumer,
  type EventLog,
  type RecordBatch,
} from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';

const GROUP = 'catalogue.token-uses';

interface UsesOptions {
  log: EventLog;
  noteUses(uses: readonly TokenUse[]): Promise<void>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Consumes the token uses that services report on the topic `token-uses`. */
export function createTokenUses({ log, noteUses, replication, logger }: UsesOptions): BackgroundConsumer {
  const topics = [TOKEN_USES_TOPIC];

  async function consume(): Promise<Consumption> {
    await log.createTopics([tokenUsesSpec(replication)]);
    return log.consume({ group: GROUP, topics, handle });
  }

  async function handle(batch: RecordBatch): Promise<void> {
    const uses: TokenUse[] = [];
    for (const record of batch.records) {
      const use = parseTokenUse(record);
      if (use === undefined) await batch.deadLetter(record, 'not a report of a token use');
      else uses.push(use);
    }
    if (uses.length > 0) await noteUses(uses);
  }

  return createConsumer({ consume, topics, logger });
}
