import { brokerUsers, type GroupAccess } from '@switchboard/contracts';

/** Returns the text of docs/broker-users.md. */
export function brokerUsersPage(): string {
  return `${[
    '# Broker users',
    '<!-- Generated from the contracts by `pnpm run docs`; a test fails when it is stale. -->',
    'Give each program a Kafka user of its own name and let it do what this table says. Only catalogue writes `directory`. Services refuse the same themselves, also on PostgreSQL, so that the table is complete: a service that publishes or reads something else fails in its tests.',
    [
      '| user | creates | writes | reads, as group | watches offsets, of group |',
      '|---|---|---|---|---|',
      ...rows(),
    ].join('\n'),
    'Who creates a topic also creates its dead-letter topic, `<topic>.dead-letter`; who reads a topic may write to that. A group that ends in `*` is a prefix. `directory-link` is the user in its own region, `directory-link-home` the one in the home region ([regions](regions.md)). `switchboard` is for `switchboard dead-letters`.',
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
    'Then set `KAFKA_USERNAME` and `KAFKA_PASSWORD` of each service; the [examples of the chart](../deploy/kubernetes/examples) name the users. `apply` adds missing ACLs to these users and removes all others from them, so that it can be repeated; `--prefix` goes before their names. Apply before an upgrade whose services use more topics. The database of an event log on PostgreSQL has no such rights: whoever has its address may write every topic.',
    '`e2e/least-privilege` starts a broker with this authorizer, applies the ACLs, has every user do everything in its row, and asks for everything else.',
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
