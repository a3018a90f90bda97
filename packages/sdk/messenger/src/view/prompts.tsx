import { parseMarkup } from '../core/markup.ts';
import { fill } from '../texts/texts.ts';
import { useAround } from './context.ts';
import { Icon } from './icons.tsx';
import { hasLink, Pieces } from './pieces.tsx';

/** Renders questions that a visitor can start with. */
export function Prompts({ onAsk }: { onAsk(text: string): void }) {
  const { config, texts } = useAround();
  if (config.prompts.length === 0) return null;
  return (
    <ul class="prompts" aria-label={texts.suggestions}>
      {config.prompts.map(({ html, text }) => {
        const pieces = parseMarkup(html.trim() === '' ? text : html);
        const words = (
          <span class="words" dir="auto">
            <Pieces pieces={pieces} />
          </span>
        );
        return (
          <li key={text}>
            {hasLink(pieces) ? (
              <div class="prompt">
                {words}
                <button
                  type="button"
                  class="round small"
                  aria-label={fill(texts.ask, text)}
                  onClick={() => onAsk(text)}
                >
                  <Icon name="next" />
                </button>
              </div>
            ) : (
              <button type="button" class="prompt" onClick={() => onAsk(text)}>
                {words}
                <Icon name="next" />
              </button>
            )}
          </li>
        );
      })}
    </ul>
  );
}
