import type { Logger } from './logger.ts';
import type { Sealing } from './sealing.ts';

/** A sealed text of a table, and for whom it was sealed. */
export interface SealedText {
  sealed: string;
  owner: string;
}

interface SealingAnewOptions<Row extends SealedText> {
  sealing: Sealing;
  /** What the rows are, for the log: `public links`. */
  what: string;
  /** The rows after the one given, in the order of their key, a page at a time; none: the end. */
  page(after: Row | undefined): Promise<Row[]>;
  /** Puts the text in the place of the row’s, unless that has changed since. */
  replace(row: Row, sealed: string): Promise<void>;
  logger: Logger;
}

/**
 * Seals with the first secret what was sealed with another, all of it, so that the others can be taken away. What no
 * secret opens is left as it is and counted. Resolves when it is done, or was stopped.
 */
export async function sealAnew<Row extends SealedText>(
  { sealing, what, page, replace, logger }: SealingAnewOptions<Row>,
  signal: AbortSignal,
): Promise<void> {
  if (!sealing.hasOlderSecrets) return;
  const counts = { looked_at: 0, sealed_anew: 0, opened_by_none: 0 };
  try {
    let rows = await page(undefined);
    while (rows.length > 0) {
      for (const row of rows) {
        if (signal.aborted) return;
        counts.looked_at++;
        const outcome = sealing.renew(row.sealed, row.owner);
        if (outcome === 'opened by none') counts.opened_by_none++;
        if (typeof outcome === 'object') {
          await replace(row, outcome.sealed);
          counts.sealed_anew++;
        }
      }
      rows = await page(rows.at(-1));
    }
  } catch (error) {
    logger.warn(
      { error, ...counts },
      `not all ${what} are sealed with the first secret; the next start goes on`,
    );
    return;
  }
  logger.info(counts, `all ${what} are sealed with the first secret`);
}
