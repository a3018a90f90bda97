/** The ports of the services, and what the attackers know. */
export interface Ports {
  ingestion: number;
  flags: number;
  messenger: number;
  identity: number;
  /** The port to which a mail server relays mail of visitors. */
  mail: number;
  /** The address that opens conversations. */
  mailAddress: string;
  /** The access token of a member of the company. */
  memberToken: string;
}
