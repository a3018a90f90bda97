import { openKafkaLog, openPostgresLog, PartitionLost } from '../index.ts';

/**
 * Runs a group member in a separate process that tests can freeze and kill: `member.ts <kafka|postgres> <address>
 * <group> <topic> <lease ms>`. Prints `got <partition>` for a batch and commits it after a line on its standard
 * input.
 */
const [kind, address = '', group = '', topic = '', leaseMs] = process.argv.slice(2);
const log =
  kind === 'kafka'
    ? openKafkaLog({ brokers: [address], clientId: 'member' })
    : openPostgresLog({ url: address });

await log.consume({
  group,
  topics: [topic],
  leaseMs: Number(leaseMs),
  commit: 'manual',
  async handle(batch) {
    process.stdout.write(`got ${batch.partition}\n`);
    process.stdin.once('data', () => {
      batch.commit().then(
        () => process.stdout.write('committed\n'),
        (error) => process.stdout.write(error instanceof PartitionLost ? 'lost\n' : `${error}\n`),
      );
    });
  },
});
process.stdin.on('end', () => process.exit());
