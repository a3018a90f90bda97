import { runOnce } from '@switchboard/http';
import { createEncryption } from '@switchboard/runtime';
import { createAnnouncementsPublisher } from '../announcements/publisher.ts';
import { createConversations } from '../conversations/conversations.ts';
import { createSearchConfigurationOf } from '../conversations/languages.ts';
import { createListStore } from '../conversations/list/store.ts';
import { createOperatorConversations } from '../conversations/operator.ts';
import { conversationsRoutes } from '../conversations/routes.ts';
import { createConversationsStore } from '../conversations/store.ts';
import { createTokensStore } from '../conversations/tokens/store.ts';
import { type ConversationTokens, createConversationTokens } from '../conversations/tokens/tokens.ts';
import { createNameAuthors, createReadTurns } from '../conversations/turns/reading.ts';
import { createTurnsStore } from '../conversations/turns/store.ts';
import { createIdentity } from '../identity/identity.ts';
import { identityRoutes } from '../identity/routes.ts';
import { createIdentityStore } from '../identity/store.ts';
import { createMailStore } from '../mail/store.ts';
import { satisfactionRoutes } from '../satisfaction/routes.ts';
import { createSatisfaction } from '../satisfaction/satisfaction.ts';
import { createSatisfactionStore } from '../satisfaction/store.ts';
import { createSupportStore } from '../support/store.ts';
import type { Shared } from './shared.ts';
import { openSupport } from './support.ts';

/** Opens conversations, the identity of people in them and the tools of agents. Returns the tokens that open a conversation. */
export function openConversations(shared: Shared): ConversationTokens {
  const { app, clock, config, database, db, directory, limits, logger, ofProject, run } = shared;
  const encryption = createEncryption({
    secrets: config.IDENTITY_SECRET,
    purpose: 'messenger identity secret',
  });
  const identity = createIdentity({ store: createIdentityStore(db), encryption, clock });
  identityRoutes(app, { identity, ofProject });
  run(runOnce((signal) => identity.reencrypt(logger, signal)));

  const store = createConversationsStore(database.prepared);
  const turns = createTurnsStore(database.prepared);
  const tokens = createConversationTokens({ store: createTokensStore(database.prepared), clock });
  const nameAuthors = createNameAuthors(directory);
  const readTurns = createReadTurns(turns, nameAuthors);
  const searchConfigurationOf = createSearchConfigurationOf(directory);
  const support = createSupportStore(db);
  const satisfaction = createSatisfactionStore(db);
  const { inMinute, limit } = limits;
  const ofConversations = {
    opens: limit(
      inMinute('opens-address', limits.opensPerAddress),
      inMinute('opens-project', limits.opensPerProject),
    ),
    ownLists: limit(
      inMinute('own-address', limits.ownListsPerAddress),
      inMinute('own-project', limits.ownListsPerProject),
    ),
    turns: limit(
      inMinute('turns', limits.turnsPerConversation),
      inMinute('turns-address', limits.turnsPerAddress),
      inMinute('turns-project', limits.turnsPerProject),
    ),
    reads: limit(
      inMinute('reads', limits.readsPerConversation),
      inMinute('reads-address', limits.readsPerAddress),
      inMinute('reads-project', limits.readsPerProject),
    ),
  };
  const conversations = createConversations({
    ...shared,
    store,
    turns,
    readTurns,
    tokens,
    identity,
    searchConfigurationOf,
    limits: ofConversations,
    quota: limits.quota('conversations'),
  });
  const operatorConversations = createOperatorConversations({
    ...shared,
    store,
    list: createListStore(database.prepared),
    turns,
    tokens,
    readTurns,
    nameAuthors,
    support,
    contacts: createMailStore(db),
    satisfaction,
    isMailed: config.SUPPORT_MAIL_DOMAIN !== undefined,
    searchConfigurationOf,
  });
  conversationsRoutes(app, {
    conversations,
    operatorConversations,
    limits: ofConversations,
    tokens,
    ofProject,
  });
  satisfactionRoutes(app, {
    ...shared,
    satisfaction: createSatisfaction({ ...shared, store: satisfaction }),
    limit: limit(
      inMinute('ratings', limits.ratingsPerConversation),
      inMinute('ratings-address', limits.ratingsPerAddress),
    ),
    tokens,
  });
  run(createAnnouncementsPublisher(shared));
  openSupport(shared);
  return tokens;
}
