import { brokerUsers, type GroupAccess } from '@switchboard/contracts';

/** Returns the text of docs/reference/broker-users.md. */
export function brokerUsersPage(): string {
  return `${[
    '# Broker users',
    '<!-- Generated from the contracts by `pnpm run docs`; a test fails when it is stale. -->',
    'The Kafka user of each program, with its rights. Services enforce the same rights themselves, also on PostgreSQL, so a service that publishes or reads anything else fails its tests.',
    [
      '| user | creates | writes | reads, as group | watches offsets, of group |',
      '|---|---|---|---|---|',
      ...rows(),
    ].join('\n'),
    'A user that creates a topic also creates its dead-letter topic, `<topic>.dead-letter`. A user that reads a topic may write to its dead-letter topic. A group that ends in `*` is a prefix. `directory-link` is the user in its own region, `directory-link-home` the one in the home region ([regions](../regions.md)).',
    '## Set up',
    'The brokers need an authorizer that denies by default: `authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer`, with your administrator in `super.users`.',
    [
      '```sh',
      'kafka-configs.sh --bootstrap-server "$KAFKA_BROKERS" --command-config admin.properties --alter \\',
      '  --entity-type users --entity-name flags --add-config "SCRAM-SHA-512=[password=$FLAGS_PASSWORD]"',
      'npx pnpm@12 switchboard acls list    # one ACL a line',
      'npx pnpm@12 switchboard acls apply   # with the KAFKA_ settings of the administrator',
      '```',
    ].join('\n'),
    'Then set `KAFKA_USERNAME` and `KAFKA_PASSWORD` of each service. The [examples of the chart](../../deploy/kubernetes/examples) name the users.',
    '`apply` adds missing ACLs to these users and removes all others from them. You can repeat it. `--prefix` goes before their names. Run it before an upgrade that adds topics. An event log on PostgreSQL has one role for all services, without these rights.',
  ].join('\n\n')}\n`;
}

function rows(): string[] {
  return brokerUsers().map(([user, { creates, writes, reads, watches }]) => {
    const cells = [
      creates.map(code).join(', '),
      writes.map(code).join(', '),
      ...[reads, watches].map(groups),
    ];
    return `| \`${user}\` | ${cells.join(' | ')} |`;
  });
}

const code = (name: string) => `\`${name}\``;

const groups = (access: readonly GroupAccess[]) =>
  access.map(({ group, topics }) => `${topics.map(code).join(', ')} as ${code(group)}`).join('; ');
