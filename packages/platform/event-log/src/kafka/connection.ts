import type { Cluster, Kafka } from 'kafkajs';
import { isUnknownTopic } from './topics/until-known.ts';

/** The identity of a producer's batches. Brokers store each of its sequence numbers once. */
export interface Identity {
  producerId: string;
  producerEpoch: number;
}

export type ProduceRequest = Parameters<Awaited<ReturnType<Cluster['findBroker']>>['produce']>[0];
export type ProducedTopics = Awaited<
  ReturnType<Awaited<ReturnType<Cluster['findBroker']>>['produce']>
>['topics'];

/** One connection to each broker, and the known partition leaders. */
export interface Connection {
  /** Returns undefined if the leader is unknown or the partition has none. */
  leaderOf(topic: string, partition: number): number | undefined;
  /** Asks a broker for the leaders. */
  refresh(topic: string): Promise<void>;
  produce(leader: number, request: ProduceRequest): Promise<ProducedTopics>;
  newIdentity(): Promise<Identity>;
  close(): Promise<void>;
}

export function createConnection(client: Kafka): Connection {
  let cluster = client.cluster();
  let topics = new Set<string>();
  let refreshing: Promise<void> | undefined;

  async function refreshNow(topic: string): Promise<void> {
    await cluster.connect();
    try {
      if (topics.has(topic)) await cluster.refreshMetadata();
      else await cluster.addMultipleTargetTopics([topic]);
      topics.add(topic);
    } catch (error) {
      if (topics.size > 0 && isUnknownTopic(error) && (await isKnownTopicGone(topic))) forget();
      throw error;
    }
  }

  /**
   * Returns whether a known topic was deleted. If only the new topic could not be added, kafkajs still has the
   * previous topics, and their connections must stay.
   */
  async function isKnownTopicGone(topic: string): Promise<boolean> {
    if (topics.has(topic)) return true;
    return await cluster.refreshMetadata().then(() => false, isUnknownTopic);
  }

  /** Replaces the cluster, because a deleted topic would fail every later refresh. */
  function forget(): void {
    const old = cluster;
    cluster = client.cluster();
    topics = new Set();
    old.disconnect().catch(() => {});
  }

  return {
    leaderOf(topic, partition) {
      if (!topics.has(topic)) return undefined;
      const found = cluster.findTopicPartitionMetadata(topic);
      const at = found[partition];
      const metadata =
        at?.partitionId === partition ? at : found.find((one) => one.partitionId === partition);
      return metadata && metadata.leader >= 0 ? metadata.leader : undefined;
    },
    async refresh(topic) {
      // One refresh of all topics runs at a time. A new topic waits for the next one.
      while (refreshing && !topics.has(topic)) await refreshing.catch(() => {});
      refreshing ??= refreshNow(topic).finally(() => (refreshing = undefined));
      await refreshing;
    },
    async produce(leader, request) {
      const broker = await cluster.findBroker({ nodeId: leader });
      return (await broker.produce(request)).topics;
    },
    async newIdentity() {
      const broker = await cluster.findControllerBroker();
      return broker.initProducerId({});
    },
    close: () => cluster.disconnect().catch(() => {}),
  };
}
