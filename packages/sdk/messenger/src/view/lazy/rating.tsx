import { useEffect, useRef, useState } from 'preact/hooks';
import type { Rating } from '../../core/store.ts';
import { fill } from '../../texts/texts.ts';
import { useAround } from '../context.ts';
import { useStyles } from './adopt.ts';

/** How far the mouth of the face of each score is bent. */
const MOUTHS = [-5, -2.5, 0, 2.5, 5];
const MAX_COMMENT = 1_000;
const STYLES = `
.rating { padding: 8px 20px; border-top: 1px solid var(--line); font-size: 13.5px; text-align: center; }
.rating .link { margin-inline-start: 8px; }
.rating .row { flex-wrap: wrap; align-items: center; justify-content: center; padding: 8px 0 0; gap: 6px; }
.rating .icon { width: 28px; height: 28px; vertical-align: middle; }
fieldset { display: flex; flex-wrap: wrap; justify-content: center; gap: 4px; margin: 0; padding: 0; border: 0; }
legend { width: 100%; padding: 0 0 4px; }
.rating label span { display: grid; place-items: center; width: 44px; height: 40px; border-radius: 12px; font-size: 22px; cursor: pointer; transition: background .12s; }
.rating label:hover span { background: var(--sunken); }
.rating :checked + span { background: var(--accent-soft); box-shadow: 0 0 0 2px var(--accent-edge); }
.rating :focus-visible + span { outline: 2px solid var(--accent-edge); outline-offset: 2px; }
.comment { flex: 1 1 200px; min-width: 0; padding: 7px 10px; border: 1px solid var(--edge); border-radius: 10px; background: var(--surface); color: var(--ink); font: inherit; }
.comment::placeholder { color: var(--quiet); opacity: 1; }
`;

/** Asks how satisfied the visitor is with a resolved conversation. */
export function RatingForm({ thread, rating }: { thread: string; rating: Rating }) {
  const { store, texts, formats } = useAround();
  const [score, setScore] = useState(rating.score);
  const [comment, setComment] = useState(rating.comment);
  const [isChanging, setChanging] = useState(false);
  const [isFailed, setFailed] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  useStyles(place, STYLES);
  useEffect(() => {
    setScore(rating.score);
    setComment(rating.comment);
    setChanging(false);
  }, [rating]);

  async function send(): Promise<void> {
    if (score !== undefined) setFailed(!(await store.rate(thread, score, comment)));
  }

  return (
    <div class="rating" ref={place} role="status">
      {rating.score !== undefined && !isChanging ? (
        <p>
          <Face mouth={MOUTHS[rating.score - 1]} /> {texts.thanks}
          <button type="button" class="link" onClick={() => setChanging(true)}>
            {texts.change}
          </button>
        </p>
      ) : (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void send();
          }}
        >
          <fieldset>
            <legend>{texts.rate}</legend>
            {MOUTHS.map((mouth, index) => (
              <label key={mouth}>
                <input
                  type="radio"
                  name="score"
                  class="hidden"
                  aria-label={fill(texts.score, formats.number(index + 1))}
                  checked={score === index + 1}
                  onChange={() => setScore(index + 1)}
                />
                <span>
                  <Face mouth={mouth} />
                </span>
              </label>
            ))}
          </fieldset>
          {score !== undefined && (
            <div class="row">
              <input
                class="comment"
                dir="auto"
                maxLength={MAX_COMMENT}
                value={comment}
                placeholder={texts.comment}
                aria-label={texts.comment}
                onInput={({ currentTarget }) => setComment(currentTarget.value)}
              />
              <button type="submit" class="link">
                {texts.rateNow}
              </button>
            </div>
          )}
          {isFailed && (
            <p class="problem" role="alert">
              {texts.failed}
            </p>
          )}
        </form>
      )}
    </div>
  );
}

const Face = ({ mouth = 0 }: { mouth: number | undefined }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path
      d={`M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18ZM9 9.5v.5M15 9.5v.5M8 ${15.5 - mouth / 4}q4 ${mouth} 8 0`}
    />
  </svg>
);
