/** The texts of a message in one language; what is put in is plain text. */
export interface Texts {
  subject(sender: string, report: string): string;
  intro(sender: string, report: string): string;
  noteOf(sender: string): string;
  open: string;
  /** Before the address, for readers whose button does not work. */
  address: string;
  why: string;
}

export const texts = {
  en: {
    subject: (sender, report) => `${sender} shared “${report}” with you`,
    intro: (sender, report) => `${sender} shared the report “${report}” with you.`,
    noteOf: (sender) => `${sender} wrote:`,
    open: 'Open the report',
    address: 'Or open this address in your browser:',
    why: 'You received this message because a teammate shared a report with you.',
  },
  de: {
    subject: (sender, report) => `${sender} hat „${report}“ mit Ihnen geteilt`,
    intro: (sender, report) => `${sender} hat den Bericht „${report}“ mit Ihnen geteilt.`,
    noteOf: (sender) => `${sender} schreibt:`,
    open: 'Bericht öffnen',
    address: 'Oder öffnen Sie diese Adresse in Ihrem Browser:',
    why: 'Sie erhalten diese Nachricht, weil jemand aus Ihrem Team einen Bericht mit Ihnen geteilt hat.',
  },
  fr: {
    subject: (sender, report) => `${sender} a partagé « ${report} » avec vous`,
    intro: (sender, report) => `${sender} a partagé le rapport « ${report} » avec vous.`,
    noteOf: (sender) => `${sender} écrit :`,
    open: 'Ouvrir le rapport',
    address: 'Ou ouvrez cette adresse dans votre navigateur :',
    why: 'Vous recevez ce message parce qu’un membre de votre équipe a partagé un rapport avec vous.',
  },
  es: {
    subject: (sender, report) => `${sender} ha compartido «${report}» contigo`,
    intro: (sender, report) => `${sender} ha compartido el informe «${report}» contigo.`,
    noteOf: (sender) => `${sender} escribe:`,
    open: 'Abrir el informe',
    address: 'O abre esta dirección en tu navegador:',
    why: 'Recibes este mensaje porque alguien de tu equipo ha compartido un informe contigo.',
  },
  pt: {
    subject: (sender, report) => `${sender} compartilhou “${report}” com você`,
    intro: (sender, report) => `${sender} compartilhou o relatório “${report}” com você.`,
    noteOf: (sender) => `${sender} escreve:`,
    open: 'Abrir o relatório',
    address: 'Ou abra este endereço no seu navegador:',
    why: 'Você recebe esta mensagem porque alguém da sua equipe compartilhou um relatório com você.',
  },
  it: {
    subject: (sender, report) => `${sender} ha condiviso «${report}» con te`,
    intro: (sender, report) => `${sender} ha condiviso con te il report «${report}».`,
    noteOf: (sender) => `${sender} scrive:`,
    open: 'Apri il report',
    address: 'Oppure apri questo indirizzo nel browser:',
    why: 'Ricevi questo messaggio perché una persona del tuo team ha condiviso un report con te.',
  },
  nl: {
    subject: (sender, report) => `${sender} heeft “${report}” met je gedeeld`,
    intro: (sender, report) => `${sender} heeft het rapport “${report}” met je gedeeld.`,
    noteOf: (sender) => `${sender} schrijft:`,
    open: 'Rapport openen',
    address: 'Of open dit adres in je browser:',
    why: 'Je ontvangt dit bericht omdat een teamgenoot een rapport met je heeft gedeeld.',
  },
  pl: {
    subject: (sender, report) => `${sender} udostępnia Ci „${report}”`,
    intro: (sender, report) => `${sender} udostępnia Ci raport „${report}”.`,
    noteOf: (sender) => `${sender} pisze:`,
    open: 'Otwórz raport',
    address: 'Możesz też otworzyć ten adres w przeglądarce:',
    why: 'Otrzymujesz tę wiadomość, ponieważ ktoś z Twojego zespołu udostępnił Ci raport.',
  },
  ja: {
    subject: (sender, report) => `${sender}さんが「${report}」を共有しました`,
    intro: (sender, report) => `${sender}さんがレポート「${report}」をあなたと共有しました。`,
    noteOf: (sender) => `${sender}さんからのメッセージ:`,
    open: 'レポートを開く',
    address: 'または、次のアドレスをブラウザーで開いてください:',
    why: 'チームのメンバーがレポートを共有したため、このメッセージをお送りしています。',
  },
} satisfies Record<string, Texts>;

export type Language = keyof typeof texts;

const isLanguage = (tag: string): tag is Language => Object.hasOwn(texts, tag);

/** The language of messages for a BCP 47 tag: its primary subtag if there are texts for it, else English. */
export function languageFor(tag: string): Language {
  const { language } = new Intl.Locale(tag);
  return isLanguage(language) ? language : 'en';
}
