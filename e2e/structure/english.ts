const HARD_WORDS =
  /\b(meanwhile|so many|anew|somebody|everybody|nobody|whoever|whose|for ever|none left|of which there|what is|made for|that is none)\b/gi;
const HARD_BEGINNING = /^(Of|What|Whose|By what) /;

/** Returns the words of a text that make it hard to read. Ignores code in backticks. */
export const hardWords = (text: string): string[] =>
  [...text.replaceAll(/`[^`\n]*`/g, '').matchAll(HARD_WORDS)].map(([word]) => word);

/** Returns whether a comment or a description begins with a relative clause or a genitive instead of its subject. */
export const beginsHard = (text: string): boolean => HARD_BEGINNING.test(text);
