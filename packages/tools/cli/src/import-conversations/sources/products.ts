import type { ImportedFrom } from '@switchboard/contracts';
import { chatwoot } from './chatwoot.ts';
import { intercom } from './intercom.ts';
import type { ConversationSource } from './source.ts';

export const PRODUCTS: Readonly<Record<ImportedFrom, ConversationSource>> = { chatwoot, intercom };
