import type { Conversion } from './conversion/conversion.ts';
import type { ImportOptions } from './conversion/read.ts';
import { fromFlagsmith } from './flagsmith/flagsmith.ts';
import { fromGrowthBook } from './growthbook/growthbook.ts';
import { fromLaunchDarkly } from './launchdarkly/launchdarkly.ts';
import { fromUnleash } from './unleash/unleash.ts';

/** Converters by product. They throw UsageError. */
export const FORMATS: Readonly<Record<string, (options: ImportOptions) => Conversion>> = {
  flagsmith: fromFlagsmith,
  growthbook: fromGrowthBook,
  launchdarkly: fromLaunchDarkly,
  unleash: fromUnleash,
};
