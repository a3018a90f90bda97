import { parseTokenUse, type TokenUse, tokenUsesSpec } from '@switchboard/directory';
import { type BackgroundConsumer, createParsedConsumer, type EventLog } from '@switchboard/event-log';
import type { Logger } from '@switchboard/runtime';

interface UsesOptions {
  log: EventLog;
  noteUses(uses: readonly TokenUse[]): Promise<void>;
  /** The number of replicas of each partition. */
  replication: number;
  logger: Logger;
}

/** Consumes the token uses that services report on the topic `token-uses`. */
export function createTokenUses({ noteUses, replication, ...options }: UsesOptions): BackgroundConsumer {
  return createParsedConsumer({
    ...options,
    group: 'catalogue.token-uses',
    topic: tokenUsesSpec(replication),
    parse: parseTokenUse,
    invalid: 'not a report of a token use',
    apply: noteUses,
  });
}
