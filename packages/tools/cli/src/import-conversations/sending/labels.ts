import { SUPPORT_LIMITS, supportSettingsDefinition } from '@switchboard/contracts';
import type { Client } from '@switchboard/management';
import type { SourceConversation } from '../sources/source.ts';

interface LabelsOptions {
  client: Client;
  projectId: string;
  dryRun: boolean;
  lose(what: string, place: string): void;
}

const label = supportSettingsDefinition.shape.labels.element;

/** Adds the labels of conversations that the project does not have. Returns the ids by name in lower case. */
export async function openLabels(
  conversations: readonly SourceConversation[],
  { client, projectId, dryRun, lose }: LabelsOptions,
): Promise<Map<string, string>> {
  const ids = new Map<string, string>();
  if (conversations.every(({ labels }) => labels.length === 0)) return ids;
  const params = { projectId };
  const settings = await client.call('getSupportSettings', { params });
  for (const { name, id } of settings.labels) ids.set(name.toLowerCase(), id);
  const added = new Map<string, { name: string; color: 'grey' }>();
  for (const { labels, place } of conversations)
    for (const name of labels) {
      const key = name.toLowerCase();
      if (ids.has(key) || added.has(key)) continue;
      const isValid = label.safeParse({ name, color: 'grey' }).success;
      if (!isValid) lose('label: not a name of up to 50 characters', place);
      else if (settings.labels.length + added.size >= SUPPORT_LIMITS.labels)
        lose(`label: the project has ${SUPPORT_LIMITS.labels}`, place);
      else added.set(key, { name, color: 'grey' });
    }
  if (dryRun || added.size === 0) return ids;
  const body = { ...settings, labels: [...settings.labels, ...added.values()] };
  const stored = await client.call('putSupportSettings', { params, body });
  for (const { name, id } of stored.labels) ids.set(name.toLowerCase(), id);
  return ids;
}
