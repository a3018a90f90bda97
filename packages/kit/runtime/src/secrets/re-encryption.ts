import type { Logger } from '../telemetry/logger.ts';
import type { Encryption } from './encryption.ts';

/** An encrypted text in a table, and the context that it was encrypted for. */
export interface EncryptedText {
  encrypted: string;
  context: string;
}

interface ReencryptOptions<Row extends EncryptedText> {
  encryption: Encryption;
  /** The name of the rows in the log: `public links`. */
  what: string;
  /** Returns a page of the rows that follow the given one, in key order; empty at the end. */
  page(after: Row | undefined): Promise<Row[]>;
  /** Replaces the text of the row, unless it has changed since it was read. */
  replace(row: Row, encrypted: string): Promise<void>;
  logger: Logger;
}

/**
 * Re-encrypts with the first secret every row that was encrypted with another one, so that the other secrets can be
 * removed. Rows that no secret decrypts are counted and left as they are. Resolves when all rows are done, or when the
 * signal aborts.
 */
export async function reencryptAll<Row extends EncryptedText>(
  { encryption, what, page, replace, logger }: ReencryptOptions<Row>,
  signal: AbortSignal,
): Promise<void> {
  if (!encryption.hasOlderSecrets) return;
  const counts = { read: 0, reencrypted: 0, undecryptable: 0 };
  try {
    let rows = await page(undefined);
    while (rows.length > 0) {
      for (const row of rows) {
        if (signal.aborted) return;
        counts.read++;
        const outcome = await encryption.reencrypt(row.encrypted, row.context);
        if (outcome === 'undecryptable') counts.undecryptable++;
        if (typeof outcome === 'object') {
          await replace(row, outcome.encrypted);
          counts.reencrypted++;
        }
      }
      rows = await page(rows.at(-1));
    }
  } catch (error) {
    logger.failed('re-encrypt', error, { what, ...counts });
    return;
  }
  logger.info({ what, ...counts }, 're-encrypted with the first secret');
}
