import { Kafka, type RetryOptions, type SASLOptions } from 'kafkajs';

export interface KafkaConnection {
  brokers: string[];
  clientId: string;
  /** Use TLS. The broker's certificate is verified with Node's certificate authorities; NODE_EXTRA_CA_CERTS adds more. */
  tls?: boolean;
  sasl?: KafkaCredentials | undefined;
}

/** SASL credentials. */
export interface KafkaCredentials {
  mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  username: string;
  password: string;
}

/** A kafkajs client that logs nothing: this package logs state changes instead of every retry. */
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

/** Every option is set because kafkajs has different defaults if NODE_ENV is `test`. */
export function retrying(retries: number): RetryOptions {
  return { retries, initialRetryTime: 50, maxRetryTime: 500, factor: 0.2, multiplier: 2 };
}
