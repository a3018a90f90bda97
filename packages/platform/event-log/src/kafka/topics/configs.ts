import kafkajs, { type Admin } from 'kafkajs';
import { messageOf } from '../../errors.ts';
import type { LogEntry } from '../../types.ts';

/** The settings of a topic by name. `isOwn`: set for this topic, not inherited from the brokers. */
export type TopicConfig = ReadonlyMap<string, { value: string; isOwn: boolean }>;

const { TOPIC } = kafkajs.ConfigResourceTypes;
const { TOPIC_CONFIG } = kafkajs.ConfigSource;

export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

/** The name of the setting that closes a topic. */
export const SIZE_LIMIT = 'max.message.bytes';
/** Every batch exceeds this limit, so the brokers reject all records. */
export const CLOSED = new Map([[SIZE_LIMIT, '1']]);

export async function readConfigs(
  admin: Admin,
  topics: readonly string[],
): Promise<Map<string, TopicConfig>> {
  if (topics.length === 0) return new Map();
  const { resources } = await admin.describeConfigs({
    includeSynonyms: false,
    resources: topics.map((name) => ({ type: TOPIC, name })),
  });
  return new Map(
    resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(
        configEntries.map(({ configName, configValue, configSource }) => [
          configName,
          { value: configValue, isOwn: configSource === TOPIC_CONFIG },
        ]),
      ),
    ]),
  );
}

/** Changes settings of topics. For settings that this user may not change, logs the command that does. */
export async function alterTopics(
  admin: Admin,
  changes: ReadonlyMap<string, ReadonlyMap<string, string>>,
  { brokers, onLog }: { brokers: readonly string[]; onLog?: ((entry: LogEntry) => void) | undefined },
): Promise<void> {
  for (const [topic, changed] of changes) {
    const text = textOf(changed);
    try {
      await alterTopic(admin, topic, changed);
      onLog?.({ level: 'info', message: `topic ${topic}: set ${text}` });
    } catch (error) {
      const command = alterCommand(brokers, topic, changed);
      onLog?.({
        level: 'warn',
        message: `topic ${topic}: cannot set ${text}: ${messageOf(error)}. Run ${command}`,
        error,
      });
    }
  }
}

/** Returns the settings of the topic itself, by name. */
export function ownSettings(config: TopicConfig): Map<string, string> {
  return new Map([...config].flatMap(([name, { value, isOwn }]) => (isOwn ? [[name, value]] : [])));
}

/** Changes settings of a topic and keeps the others. */
export async function alterTopic(
  admin: Admin,
  topic: string,
  changed: ReadonlyMap<string, string>,
): Promise<void> {
  const config = (await readConfigs(admin, [topic])).get(topic) ?? new Map();
  const configEntries = [...new Map([...ownSettings(config), ...changed])].map(([name, value]) => ({
    name,
    value,
  }));
  await admin.alterConfigs({
    validateOnly: false,
    resources: [{ type: TOPIC, name: topic, configEntries }],
  });
}

/** Returns the command with which an operator changes settings of a topic. */
export function alterCommand(
  brokers: readonly string[],
  topic: string,
  changed: ReadonlyMap<string, string>,
): string {
  return `kafka-configs.sh --bootstrap-server ${brokers.join()} --alter --entity-type topics --entity-name ${topic} --add-config ${textOf(changed)}`;
}

const textOf = (changed: ReadonlyMap<string, string>) =>
  [...changed].map(([name, value]) => `${name}=${value}`).join();
