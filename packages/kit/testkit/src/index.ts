export { type AccessTokens, accessTokens, type TokenClaims } from './access-tokens.ts';
export { backing, backingProgram, backingsHome } from './backings/backing.ts';
export {
  type ClickHouseDatabase,
  type ClickHouseServer,
  clickHouseDatabase,
  startClickHouse,
} from './backings/clickhouse.ts';
export {
  isKafkaInstalled,
  type KafkaServer,
  kafkaBrokers,
  type SecuredListener,
  startKafka,
} from './backings/kafka.ts';
export { type KafkaCluster, type KafkaNode, startKafkaCluster } from './backings/kafka-cluster.ts';
export {
  NETWORK_FAULTS,
  type Network,
  type NetworkFault,
  type NetworkLink,
  startNetwork,
} from './backings/network.ts';
export { type OtlpReceiver, startOtlpReceiver } from './backings/otlp-receiver.ts';
export type { ReceivedSpan } from './backings/otlp-wire.ts';
export { hasPgBouncer, type PgBouncer, startPgBouncer } from './backings/pgbouncer.ts';
export { type PostgresServer, postgresServer } from './backings/postgres-server.ts';
export { type RedisServer, redisUrl, startRedis } from './backings/redis.ts';
export { type S3Access, type S3Server, s3Access, s3Env, startS3 } from './backings/s3.ts';
export { type CodeBlock, codeBlocks, documented } from './documented.ts';
export { eventually } from './eventually.ts';
export { addAuthenticator, hasChromium, openBrowser } from './harness/browser.ts';
export { programFile } from './harness/bundle.ts';
export { type CallOptions, type CallResult, call } from './harness/call.ts';
export { type Harness, type HarnessOptions, openHarness } from './harness/harness.ts';
export { type Env, type Program, type ProgramOptions, spawnProgram } from './harness/program.ts';
export { type Received, type Receiver, startReceiver } from './harness/receiver.ts';
export {
  type RunningInstance,
  type SpawnServiceOptions,
  type Startable,
  serviceCommand,
  spawnService,
  startService,
} from './harness/service.ts';
export { type ProcessUsage, processUsage } from './harness/usage.ts';
export { oncePerRun } from './once-per-run.ts';
export { freePort } from './ports.ts';
export { outputOf } from './script.ts';
export { type TestDatabase, type TestMigrations, testDatabase } from './test-database.ts';
