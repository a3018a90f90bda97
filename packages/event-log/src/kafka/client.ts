import { Kafka, type RetryOptions } from 'kafkajs';

export interface KafkaConnection {
  brokers: string[];
  clientId: string;
}

/** A kafkajs client that logs nothing itself: this package reports changes of state instead of every retry. */
export function createClient(connection: KafkaConnection, requestTimeoutMs: number, retries = 5): Kafka {
  return new Kafka({
    brokers: connection.brokers,
    clientId: connection.clientId,
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 2_000,
    // By default connecting gives up soon, so that nothing goes on in the background for long.
    retry: retrying(retries),
    logCreator: () => () => {},
  });
}

/** All of it is set: kafkajs has other defaults where NODE_ENV is `test`. */
export function retrying(retries: number): RetryOptions {
  return { retries, initialRetryTime: 50, maxRetryTime: 500, factor: 0.2, multiplier: 2 };
}
