import { Kafka, type RetryOptions, type SASLOptions } from 'kafkajs';

export interface KafkaConnection {
  brokers: string[];
  clientId: string;
  /** Talk TLS; the broker's certificate is checked against Node's authorities (NODE_EXTRA_CA_CERTS adds to them). */
  tls?: boolean;
  sasl?: KafkaCredentials | undefined;
}

/** Who we are to the brokers. */
export interface KafkaCredentials {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

/** A kafkajs client that logs nothing itself: this package reports changes of state instead of every retry. */
export function createClient(connection: KafkaConnection, requestTimeoutMs: number, retries = 5): Kafka {
  return new Kafka({
    brokers: connection.brokers,
    clientId: connection.clientId,
    ssl: connection.tls ?? false,
    ...(connection.sasl ? { sasl: saslOptions(connection.sasl) } : {}),
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 2_000,
    // By default connecting gives up soon, so that nothing goes on in the background for long.
    retry: retrying(retries),
    logCreator: () => () => {},
  });
}

function saslOptions({ mechanism, username, password }: KafkaCredentials): SASLOptions {
  // kafkajs types each mechanism apart.
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}

/** All of it is set: kafkajs has other defaults where NODE_ENV is `test`. */
export function retrying(retries: number): RetryOptions {
  return { retries, initialRetryTime: 50, maxRetryTime: 500, factor: 0.2, multiplier: 2 };
}
