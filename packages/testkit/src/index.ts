export { type AccessTokens, accessTokens, type TokenClaims } from './access-tokens.ts';
export { backing } from './backing.ts';
export { eventually } from './eventually.ts';
export { type KafkaServer, kafkaBrokers, type SecuredListener, startKafka } from './kafka.ts';
export { freePort } from './ports.ts';
export { type PostgresServer, postgresServer } from './postgres-server.ts';
export { type RedisServer, redisUrl, startRedis } from './redis.ts';
export { type S3Access, type S3Server, s3Access, startS3 } from './s3.ts';
export { type TestDatabase, type TestMigrations, testDatabase } from './test-database.ts';
