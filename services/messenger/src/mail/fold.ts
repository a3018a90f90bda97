export interface Folded {
  /** The text of the sender. */
  body: string;
  /** The quoted text and the signature after it. Null if there are none. */
  folded: string | null;
}

/** Longer lines are compared by their beginning, so that the time is linear in the length of the text. */
const MAX_LINE = 300;
const MAX_HEADER_LINES = 6;

const SIGNATURE = /^-- ?$/;
const SENT_FROM =
  /^(Sent from my |Sent with |Get Outlook for |Von meinem .{1,60} gesendet|Gesendet von |Envoyé de mon |Envoyé depuis |Enviado desde |Enviado do |Enviado a partir d|Inviato da |Verstuurd vanaf |Verzonden vanaf |Wysłane z |Wysłano z |iPhoneから送信)/;
const ORIGINAL =
  /^[-_*]{2,} ?(Original Message|Forwarded message|Ursprüngliche Nachricht|Message d.origine|Mensaje original|Mensagem original|Messaggio originale|Oorspronkelijk bericht|Oryginalna wiadomość|元のメッセージ) ?[-_*]{2,}$/i;
/** The line before a quote, as mail programs write it in nine languages. */
const ATTRIBUTIONS = [
  /^On .+ wrote:$/,
  /^Am .+ schrieb.*:$/,
  /^Le .+ a écrit ?:$/,
  /^El .+ escribió:$/,
  /^(Em|A|No dia) .+ escreveu:$/,
  /^Il .+ ha scritto:$/,
  /^Op .+ schreef.*:$/,
  /^.+ (napisał|napisała|napisał\(a\)|pisze):$/,
  /^.+(のメール|書きました|wrote) ?[:：]$/,
];
const FROM = /^\*?(From|Von|De|Da|Van|Od|差出人) ?[:：]/;
const OTHER_HEADER =
  /^\*?(Sent|Date|To|Subject|Gesendet|Datum|An|Betreff|Envoyé|À|Objet|Enviado|Fecha|Para|Asunto|Data|Assunto|Inviato|A|Oggetto|Verzonden|Aan|Onderwerp|Wysłano|Do|Temat|送信日時|日時|宛先|件名) ?[:：]/;

/**
 * Divides the text of a mail into what the sender wrote and the quoted text and signature at its end. Answers between
 * quoted lines stay together with them.
 */
export function fold(text: string): Folded {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const at = Math.min(startOfRest(lines), startOfQuote(lines));
  const body = lines.slice(0, at).join('\n').trim();
  const folded = lines.slice(at).join('\n').trim();
  return { body, folded: folded === '' ? null : folded };
}

/** Returns the first line of a signature, a forwarded message or a quote that is announced. */
function startOfRest(lines: readonly string[]): number {
  const found = lines.findIndex((line, index) => {
    const shown = line.slice(0, MAX_LINE);
    return (
      SIGNATURE.test(shown) ||
      SENT_FROM.test(shown) ||
      ORIGINAL.test(shown) ||
      isAttribution(lines, index) ||
      isHeader(lines, index)
    );
  });
  return found === -1 ? lines.length : found;
}

/** An attribution may be broken into two lines. Quoted text follows it, or none if the mail program does not mark it. */
function isAttribution(lines: readonly string[], index: number): boolean {
  const first = lines[index] ?? '';
  const next = lines[index + 1] ?? '';
  if (first.length > MAX_LINE || next.length > MAX_LINE || first.startsWith('>')) return false;
  const end = ATTRIBUTIONS.some((one) => one.test(first))
    ? index + 1
    : ATTRIBUTIONS.some((one) => one.test(`${first} ${next}`)) && !first.endsWith(':')
      ? index + 2
      : undefined;
  return end !== undefined && !hasAnswerAfterQuote(lines, end);
}

/** Whether lines that are not quoted follow quoted lines: an answer between them. */
function hasAnswerAfterQuote(lines: readonly string[], from: number): boolean {
  let quoted = false;
  for (let index = from; index < lines.length; index++) {
    const line = lines[index] ?? '';
    if (line.startsWith('>')) quoted = true;
    else if (quoted && line !== '') return !SIGNATURE.test(line) && !SENT_FROM.test(line);
  }
  return false;
}

function isHeader(lines: readonly string[], index: number): boolean {
  if (!FROM.test((lines[index] ?? '').slice(0, MAX_LINE))) return false;
  const following = lines.slice(index + 1, index + 1 + MAX_HEADER_LINES);
  return following.filter((line) => OTHER_HEADER.test(line.slice(0, MAX_LINE))).length >= 2;
}

/** Returns the first line of the quoted lines that end the text. */
function startOfQuote(lines: readonly string[]): number {
  let start = lines.length;
  for (let index = lines.length - 1; index >= 0; index--) {
    const line = lines[index] ?? '';
    if (line.startsWith('>')) start = index;
    else if (line !== '') break;
  }
  return start;
}
