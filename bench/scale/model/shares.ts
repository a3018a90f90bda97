import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Measured, measureShare } from './measure.ts';
import { sizeOf } from './model.ts';
import { scalePicture } from './picture.ts';
import { printMeasured, requireTargets } from './report.ts';

/** The value of ARCHIVE_FILE_SECONDS. */
const FILE_SECONDS = 30;

interface SharesOptions {
  seconds: number;
  /** A folder that keeps the stored data and the measurements for further runs. */
  keep: string | undefined;
  /** The folder for the picture. */
  pictures: string | undefined;
}

/** Measures shares of the model, and prints each. Throws if the whole model misses its targets. */
export async function measureShares(
  shares: readonly number[],
  { seconds, keep, pictures }: SharesOptions,
): Promise<void> {
  const kept = keep && join(keep, 'measured.json');
  let all: Measured[] = kept ? await readFile(kept, 'utf8').then(JSON.parse, () => []) : [];
  for (const share of shares) {
    const measured = await measureShare(sizeOf(share), { seconds, fileSeconds: FILE_SECONDS, keep });
    if (measured === undefined) continue;
    all = [...all.filter(({ size }) => size.share !== share), measured];
    all.sort((a, b) => a.size.share - b.size.share);
    printMeasured(measured);
    if (kept) await writeFile(kept, JSON.stringify(all));
    if (pictures !== undefined) await writeFile(join(pictures, 'scale.svg'), scalePicture(all));
    // Smaller shares may run beside tests, so they have no targets.
    if (share >= 1) requireTargets(measured);
  }
}
