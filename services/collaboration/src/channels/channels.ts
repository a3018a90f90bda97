import type { SubscriptionChannel } from '@switchboard/contracts';
import { BadRequest, requireSendable } from '@switchboard/http';
import { type Encryption, type Logger, reencryptAll } from '@switchboard/runtime';
import { newId } from '../ids/ids.ts';
import type { ChannelRow, ChannelsStore, OfSubscription } from './store.ts';

interface ChannelsOptions {
  encryption: Encryption;
  networks: Parameters<typeof requireSendable>[2];
}

/** The chat channels of subscriptions. Their URLs are secrets. */
export interface Channels {
  /**
   * Returns the rows of channels in a request. One with a shortened URL is the stored channel that has it. Throws
   * BadRequest for a URL to which nothing is ever sent, an unknown shortened one, and two that look the same.
   */
  rowsOf(
    key: OfSubscription,
    given: readonly SubscriptionChannel[],
    stored: readonly ChannelRow[],
  ): Promise<ChannelRow[]>;
  urlOf(row: ChannelRow): Promise<string>;
  /** Encrypts every URL with the first value of LINK_SECRET, if there are several. */
  reencrypt(store: ChannelsStore, logger: Logger, signal: AbortSignal): Promise<void>;
}

/** A URL with a path that is shorter than this has no end that could be shown. */
const MIN_SECRET = 24;
const SHOWN = 4;
const HIDDEN = '/***';

/** Returns the host of a URL and its last characters. */
function shorten(url: string): string {
  const { origin, pathname, search } = new URL(url);
  const secret = pathname + search;
  return `${origin}${HIDDEN}${secret.length < MIN_SECRET ? '' : secret.slice(-SHOWN)}`;
}

export function createChannels({ encryption, networks }: ChannelsOptions): Channels {
  async function rowOf(
    { projectId, id }: OfSubscription,
    { kind, url }: SubscriptionChannel,
    stored: readonly ChannelRow[],
    field: string,
  ): Promise<ChannelRow> {
    if (new URL(url).pathname.startsWith(HIDDEN)) {
      const found = stored.find((row) => row.kind === kind && row.shortUrl === url);
      if (found !== undefined) return found;
      throw new BadRequest(
        `${field}: shortened, and the subscription has no such channel; send the whole URL`,
      );
    }
    requireSendable(url, field, networks);
    const row = { projectId, subscriptionId: id, id: newId('chn') };
    return {
      ...row,
      kind,
      encryptedUrl: await encryption.encrypt(url, contextOf(row)),
      shortUrl: shorten(url),
    };
  }

  return {
    async rowsOf(key, given, stored) {
      const rows = await Promise.all(given.map((one, at) => rowOf(key, one, stored, `channels[${at}].url`)));
      const second = rows.findIndex(({ shortUrl }, at) =>
        rows.slice(0, at).some((other) => other.shortUrl === shortUrl),
      );
      if (second === -1) return rows;
      throw new BadRequest(
        `channels[${second}].url: looks like that of another channel when it is shortened`,
      );
    },

    urlOf: (row) => encryption.decrypt(row.encryptedUrl, contextOf(row)),

    reencrypt: (store, logger, signal) =>
      reencryptAll<ChannelRow & { encrypted: string; context: string }>(
        {
          encryption,
          what: 'channels of subscriptions',
          async page(after) {
            const page = await store.page(after);
            return page.map((row) => ({ ...row, encrypted: row.encryptedUrl, context: contextOf(row) }));
          },
          replace: store.replaceEncrypted,
          logger,
        },
        signal,
      ),
  };
}

const contextOf = ({
  projectId,
  subscriptionId,
  id,
}: Omit<ChannelRow, 'kind' | 'encryptedUrl' | 'shortUrl'>) => JSON.stringify([projectId, subscriptionId, id]);
