import type { TranslationRequest } from '@switchboard/contracts';
import type { Directory, Entitlements } from '@switchboard/directory';
import { type AuditedChange, PlanRequired, type ProjectAccess, Rejection } from '@switchboard/http';
import type { Clock, Logger } from '@switchboard/runtime';
import {
  type TranslationProvider,
  TranslationProviderError,
  UnusableReply,
} from '../providers/translation.ts';
import { protectMarkup, restoreMarkup } from './markup.ts';
import type { TranslationsStore } from './store.ts';

/** An unusable reply is retried once. */
const MAX_ATTEMPTS = 2;

interface TranslationsOptions {
  store: TranslationsStore;
  /** Undefined if none is configured. */
  provider: TranslationProvider | undefined;
  timeoutMs: number;
  directory: Pick<Directory, 'entitlements'>;
  clock: Clock;
  logger: Logger;
}

export type Translations = ReturnType<typeof createTranslations>;

/** Translates messenger texts, within the monthly limit of the company's plan. */
export function createTranslations(options: TranslationsOptions) {
  const { store, provider, timeoutMs, directory, clock, logger } = options;

  async function limitOf(companyId: string): Promise<number> {
    const entitlements = await directory.entitlements(companyId);
    if (entitlements.aiTranslations !== true)
      throw new PlanRequired('Your plan does not include the AI add-on.', 'AI_DISABLED');
    return limitIn(entitlements) ?? Number.MAX_SAFE_INTEGER;
  }

  async function ask({ from, to, texts }: TranslationRequest): Promise<string[]> {
    if (provider === undefined) {
      throw failed('Translations are not configured: set AI_BASE_URL, AI_API_KEY and AI_MODEL.');
    }
    const parts = texts.map(protectMarkup);
    const translatable = parts.filter(isTranslatable);
    const signal = AbortSignal.timeout(timeoutMs);
    for (let attempt = 1; ; attempt++) {
      try {
        const request = { from, to, texts: translatable.map(({ text }) => text), signal };
        const translated = (await provider(request)).values();
        return parts.map((part) => {
          if (!isTranslatable(part)) return restoreMarkup(part.text, part) ?? '';
          const restored = restoreMarkup(translated.next().value ?? '', part);
          if (restored === undefined || restored.trim() === '' || !isStorable(restored)) {
            throw new UnusableReply('inline markup was lost, repeated or added, or a text is missing');
          }
          return restored;
        });
      } catch (error) {
        if (error instanceof UnusableReply && attempt < MAX_ATTEMPTS) continue;
        if (!(error instanceof UnusableReply || error instanceof TranslationProviderError)) throw error;
        logger.warn({ error }, 'translate texts failed');
        const reason =
          error instanceof TranslationProviderError ? 'failed or timed out' : 'returned an unusable reply';
        throw failed(`The AI provider ${reason}. Retry later.`);
      }
    }
  }

  const monthOf = (companyId: string) => ({ companyId, month: clock.now().toISOString().slice(0, 7) });

  return {
    /** Returns what the company translated in this month, and the limit. */
    async usage(companyId: string) {
      const entitlements = await directory.entitlements(companyId);
      const month = monthOf(companyId);
      const most = entitlements.aiTranslations === true ? limitIn(entitlements) : 0;
      return {
        month: month.month,
        aiTranslationBytes: await store.used(month),
        aiTranslationBytesPerMonth: most ?? null,
      };
    },

    async translate(
      change: AuditedChange,
      { companyId }: ProjectAccess,
      request: TranslationRequest,
    ): Promise<string[]> {
      const { from, to, texts } = request;
      const limit = await limitOf(companyId);
      const month = monthOf(companyId);
      const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
      if (isSameLanguage(from, to) || !texts.some((text) => isTranslatable(protectMarkup(text)))) {
        const used = await store.used(month);
        if (used >= limit || used + bytes > limit) throw limitReached();
        await change.record();
        return texts;
      }
      if (!(await store.reserve(month, bytes, limit, change))) throw limitReached();
      try {
        return await ask(request);
      } catch (error) {
        await store.release(month, bytes);
        throw error;
      }
    },
  };
}

/** Returns the bytes that a plan with AI translations allows in a month. Undefined: no limit. */
function limitIn({ aiTranslationBytesPerMonth: limit }: Entitlements): number | undefined {
  if (limit === undefined) return undefined;
  return typeof limit === 'number' && Number.isSafeInteger(limit) ? limit : 0;
}

const failed = (message: string) => new Rejection(502, 'AI_FAILED', message);
const limitReached = () =>
  new PlanRequired(
    "The texts exceed your plan's remaining AI translation limit for this month.",
    'AI_LIMIT_REACHED',
  );

/** Whether a text has more than markup and white space. */
function isTranslatable({ text }: { text: string }): boolean {
  return text.replaceAll(/⟦\d+⟧/g, '').trim() !== '';
}

const isStorable = (text: string) => text.isWellFormed() && !text.includes('\0');

function isSameLanguage(from: string, to: string): boolean {
  return Intl.getCanonicalLocales(from)[0] === Intl.getCanonicalLocales(to)[0];
}
