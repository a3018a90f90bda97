import { Kafka, type RetryOptions, type SASLOptions } from 'kafkajs';

export interface KafkaConnection {
  brokers: string[];
  clientId: string;
  /** Whether to use TLS. Verifies the broker's certificate with Node's CAs and those in NODE_EXTRA_CA_CERTS. */
  tls?: boolean;
  sasl?: KafkaCredentials | undefined;
}

/** SASL credentials. */
export interface KafkaCredentials {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

/** Creates a kafkajs client that logs nothing, because this package logs state changes instead of every retry. */
export function createClient(connection: KafkaConnection, requestTimeoutMs: number, retries = 5): Kafka {
  return new Kafka({
    brokers: connection.brokers,
    clientId: connection.clientId,
    ssl: connection.tls ?? false,
    ...(connection.sasl ? { sasl: saslOptions(connection.sasl) } : {}),
    requestTimeout: requestTimeoutMs,
    connectionTimeout: 2_000,
    // By default connecting fails fast, so that nothing keeps running in the background.
    retry: retrying(retries),
    logCreator: () => () => {},
  });
}

function saslOptions({ mechanism, username, password }: KafkaCredentials): SASLOptions {
  // kafkajs has a separate type for each mechanism.
  switch (mechanism) {
    case 'plain':
      return { mechanism, username, password };
    case 'scram-sha-256':
      return { mechanism, username, password };
    case 'scram-sha-512':
      return { mechanism, username, password };
  }
}

/** Returns retry options. Sets every option, because kafkajs has different defaults if NODE_ENV is `test`. */
export function retrying(retries: number): RetryOptions {
  return { retries, initialRetryTime: 50, maxRetryTime: 500, factor: 0.2, multiplier: 2 };
}
