export { personIds } from '@switchboard/person-ids/schema';
export { inboxPreferences } from './agents.ts';
export { unpublishedConversations } from './announcements.ts';
export {
  attachments,
  conversations,
  conversationTokens,
  turns,
} from './conversations.ts';
export { messageKeys, messages, reads, recipients } from './inbox.ts';
export { conversationMail } from './mail.ts';
export { avatars, configurations, identitySecrets, teammates } from './projects.ts';
export { pushSubscriptions, waitingPushes } from './pushes.ts';
export { articleSearches, helpSites, translatedBytes } from './settings.ts';
export {
  conversationCountChanges,
  conversationCounts,
  conversationHistory,
  conversationMentions,
  conversationNotes,
  conversationReads,
  conversationResolutions,
  supportSettings,
} from './support.ts';
