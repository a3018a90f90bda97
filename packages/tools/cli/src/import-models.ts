import type { AiModel, Client } from '@switchboard/management';
import { listObjects } from './list-all.ts';
import type { PriceList } from './litellm/price-list.ts';
import { applyManifest, type Outcome } from './manifest/apply.ts';
import { kinds } from './manifest/kinds.ts';
import { manifest } from './manifest/manifest.ts';

interface ImportOptions {
  client: Client;
  onOutcome?: (outcome: Outcome, settled: number, all: number) => void;
  dryRun?: boolean;
}

/**
 * Writes the models of a price list. A price list has no display names: an existing model keeps its name, and a new
 * one is named after its id. Models that are not in the list are not changed.
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
