import type { AiModel } from '@switchboard/contracts';
import { listObjects } from './listing.ts';
import type { PriceList } from './litellm/price-list.ts';
import type { ManagementClient } from './management-client.ts';
import { applyManifest, type Outcome } from './manifest/apply.ts';
import { kinds } from './manifest/kinds.ts';
import { manifest } from './manifest/manifest.ts';

interface ImportOptions {
  client: ManagementClient;
  onOutcome?: (outcome: Outcome, settled: number, all: number) => void;
  dryRun?: boolean;
}

/**
 * Writes the models of a price list. The list has no names to show, so a model keeps the one it has, and a new
 * one is called by its id. Models that are not in the list are left alone.
 */
export async function importModels(models: PriceList['models'], options: ImportOptions): Promise<Outcome[]> {
  const known = await listObjects(options.client, kinds.model.list);
  const names = new Map(known.map(({ id, displayName }) => [id, String(displayName)]));
  const wanted: AiModel[] = models.map((model) => ({
    ...model,
    displayName: names.get(model.id) ?? model.id,
  }));
  return applyManifest(manifest.parse({ ai: { models: wanted } }), options);
}
